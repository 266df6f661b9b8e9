import endToEnd from './jest.config.js';

/**
 * The fault lab: what its parts promise, and a short run on each store (docs/lab.md).
 *
 * @type {import('jest').Config}
 */
export default {
  ...endToEnd,
  maxWorkers: 1,
  roots: ['<rootDir>/lab'],
  testTimeout: 900_000,
};
