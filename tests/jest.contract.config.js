import path from 'node:path';
import endToEnd from './jest.config.js';

/**
 * The contracts between the parts, and of the stores on the wire. Run it under scripts/test-env/with-mongo.sh.
 *
 * @type {import('jest').Config}
 */
export default {
  ...endToEnd,
  maxWorkers: 1,
  roots: [
    '<rootDir>/contract',
    ...['services', 'gateway'].map((part) => path.resolve(import.meta.dirname, '..', part)),
  ],
  testMatch: ['**/contract/*.test.ts', '**/integration/**/*.test.ts'],
};
