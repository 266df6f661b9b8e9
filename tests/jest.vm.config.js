import endToEnd from './jest.config.js';

/**
 * Emulated machines that really boot. Run by scripts/test-env/with-libvirt.sh.
 *
 * @type {import('jest').Config}
 */
export default {
  ...endToEnd,
  roots: ['<rootDir>/vm'],
  testTimeout: 240_000,
};
