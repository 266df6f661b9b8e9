import root from '../jest.config.js';

/**
 * End to end. Three suites at a time on two cores: they wait for machines and deadlines for half of their time. Those that run
 * one after the other in the same worker share a running Tenure.
 *
 * @type {import('jest').Config}
 */
export default {
  ...root,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/e2e'],
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: [],
  maxWorkers: 3,
  testSequencer: '<rootDir>/support/longest-first.js',
  // For machines that have other work to do: what must be quick says so in its test.
  testTimeout: 240_000,
  globalSetup: '<rootDir>/support/global-setup.js',
  globalTeardown: '<rootDir>/support/global-teardown.js',
};
