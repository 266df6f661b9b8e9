import endToEnd from './jest.config.js';

/**
 * The API against its own description, tested with schemathesis. Needs .cache/venv (scripts/test-env/venv.sh).
 *
 * @type {import('jest').Config}
 */
export default {
  ...endToEnd,
  maxWorkers: 1,
  roots: ['<rootDir>/schemathesis'],
  // Ends a run that hangs; on a busy machine each caller takes several minutes.
  testTimeout: 1_800_000,
};
