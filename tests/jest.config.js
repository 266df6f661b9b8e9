import root from '../jest.config.js';

/**
 * End to end. Two suites at a time: much of their time they wait for machines, and for deadlines. Those that run one after the
 * other in the same worker share a running Tenure.
 *
 * @type {import('jest').Config}
 */
export default {
  ...root,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/e2e'],
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: [],
  maxWorkers: 2,
  testSequencer: '<rootDir>/support/longest-first.js',
  testTimeout: 60_000,
  globalSetup: '<rootDir>/support/global-setup.js',
  globalTeardown: '<rootDir>/support/global-teardown.js',
};
