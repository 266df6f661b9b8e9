import { describe, expect, it } from '@jest/globals';
import { contextOnNode } from './decided-server.js';

describe('a call about the node of a server', () => {
  it('uses the bare-metal API, for the caller, without the policy’s obligations for the server', () => {
    const claims = {
      iss: 'gateway' as const,
      aud: 'compute' as const,
      iat: 1,
      exp: 11,
      jti: '0123456789abcdef',
      method: 'POST',
      target: '/v2.1/servers/s-1/action',
      body_sha256: 'x'.repeat(43),
      request_id: 'req-1',
      subject: null,
      action: 'os_compute_api:servers:trigger_crash_dump',
      decision_id: 'd1',
      api_version: '2.79',
      public_base: 'http://127.0.0.1:8774',
      resources: [{ type: 'server', uuid: 's-1', tenancy_revision: 3 }],
      obligations: {
        filter: { mode: 'all' as const, predicates: [] },
        fields: { masked: ['host'], read_only: [] },
        set: {},
      },
    };
    expect(contextOnNode(claims)).toEqual({
      request_id: 'req-1',
      subject: null,
      action: 'os_compute_api:servers:trigger_crash_dump',
      decision_id: 'd1',
      api_version: '1.91',
      public_base: 'http://127.0.0.1:8774',
      resources: [{ type: 'server', uuid: 's-1', tenancy_revision: 3 }],
      obligations: {
        filter: { mode: 'none', predicates: [] },
        fields: { masked: [], read_only: [] },
        set: {},
      },
    });
  });
});
