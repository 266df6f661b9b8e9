import root from '../jest.config.js';

/**
 * End to end. The suites share one running Tenure and measure nothing: one after the other, on any machine.
 *
 * @type {import('jest').Config}
 */
export default {
  ...root,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/e2e'],
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: [],
  maxWorkers: 1,
  testTimeout: 60_000,
  globalSetup: '<rootDir>/support/global-setup.js',
  globalTeardown: '<rootDir>/support/global-teardown.js',
};
