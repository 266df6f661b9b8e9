import { describe, expect, it } from '@jest/globals';
import { loadAllocationConfig } from './config.js';

describe('the configuration', () => {
  it('has defaults for all but the keys', () => {
    expect(loadAllocationConfig({ TENURE_CONTEXT_KEYS_DIR: 'keys' })).toEqual({
      host: '127.0.0.1',
      port: 8184,
      adminPort: 9184,
      logLevel: 'info',
      shutdownDelayMs: 4000,
      contextKeysDir: 'keys',
      inventoryUrl: 'http://127.0.0.1:8182',
      inventoryTimeoutMs: 3000,
      workers: 16,
      recoverySeconds: 5,
      failureTimeoutSeconds: 600,
    });
  });

  it('names every unusable variable at once', () => {
    const env = {
      ALLOCATION_WORKERS: '0',
      INVENTORY_URL: 'ftp://x',
      ALLOCATION_RECOVERY_SECONDS: 'soon',
    };
    expect(() => loadAllocationConfig(env)).toThrow(
      /TENURE_CONTEXT_KEYS_DIR[^]*INVENTORY_URL[^]*ALLOCATION_WORKERS[^]*ALLOCATION_RECOVERY_SECONDS/u,
    );
  });
});
