import root from '../jest.config.js';

/**
 * The manifests in k8s/ against rules of ours and the parts' configuration. Needs .cache/k8s-tools (scripts/test-env/k8s-tools.sh).
 *
 * @type {import('jest').Config}
 */
export default {
  ...root,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/k8s'],
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: [],
};
