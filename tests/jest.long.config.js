import path from 'node:path';
import root from '../jest.config.js';

/**
 * Tests beside the code that ask the whole policy everything, or wait for seconds.
 *
 * @type {import('jest').Config}
 */
export default {
  ...root,
  rootDir: path.join(import.meta.dirname, '..'),
  testMatch: ['**/src/**/*.long.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
