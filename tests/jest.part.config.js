import long from './jest.long.config.js';

/**
 * Every test beside the code: scripts/test-one.sh chooses the part.
 *
 * @type {import('jest').Config}
 */
export default { ...long, testMatch: ['**/src/**/*.test.ts'] };
