/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>/shared', '<rootDir>/services', '<rootDir>/gateway', '<rootDir>/cli'],
  testMatch: ['**/src/**/*.test.ts'],
  // Jest leaves one core idle, of two one too many.
  maxWorkers: '100%',
  // For machines that have other work to do.
  testTimeout: 60_000,
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
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
  // Workspace packages resolve to their sources, so tests never need a build.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
};
