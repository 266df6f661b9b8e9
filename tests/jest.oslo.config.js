import root from '../jest.config.js';

/**
 * Translated rules against oslo.policy itself. Needs opa on PATH, and .cache/venv (scripts/test-env/venv.sh).
 *
 * @type {import('jest').Config}
 */
export default {
  ...root,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/oslo'],
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: [],
  maxWorkers: 2,
  testTimeout: 120_000,
};
