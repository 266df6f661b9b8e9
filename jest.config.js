import { availableParallelism } from 'node:os';
import path from 'node:path';

const SHARED = path.join(import.meta.dirname, 'shared');

/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>/shared', '<rootDir>/services', '<rootDir>/gateway', '<rootDir>/cli'],
  testMatch: ['**/src/**/*.test.ts'],
  // Tests that ask the whole policy, or wait for seconds, are run by `make test` (tests/jest.long.config.js).
  testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.ts$'],
  // More than there are cores: many tests wait for timers and sockets.
  maxWorkers: 2 * availableParallelism(),
  // For machines that have other work to do.
  testTimeout: 60_000,
  extensionsToTreatAsEsm: ['.ts'],
  // Workspace packages resolve to their sources: tests never need a build, and jest knows which tests a change concerns.
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@tenure/([^/]+)$': path.join(SHARED, '$1/src/index.ts'),
    '^@tenure/([^/]+)/(.+)$': path.join(SHARED, '$1/src/$2/index.ts'),
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
};
