import endToEnd from './jest.config.js';

/**
 * Emulated machines that really boot. Run by scripts/test-env/with-libvirt.sh.
 *
 * @type {import('jest').Config}
 */
export default {
  ...endToEnd,
  maxWorkers: 1,
  roots: ['<rootDir>/vm'],
  testTimeout: 240_000,
};
