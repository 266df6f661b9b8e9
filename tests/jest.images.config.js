import endToEnd from './jest.config.js';

/**
 * The contents of the images, and the environment of compose.yaml. Needs no container engine; run it under
 * scripts/test-env/with-mongo.sh.
 *
 * @type {import('jest').Config}
 */
export default { ...endToEnd, maxWorkers: 1, roots: ['<rootDir>/images'] };
