import endToEnd from './jest.config.js';

/**
 * The API against its own description, asked by schemathesis. Needs .cache/venv (scripts/test-env/venv.sh).
 *
 * @type {import('jest').Config}
 */
export default {
  ...endToEnd,
  roots: ['<rootDir>/schemathesis'],
  testTimeout: 420_000,
};
