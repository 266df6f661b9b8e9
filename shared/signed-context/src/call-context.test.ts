import { describe, expect, it } from '@jest/globals';
import { callContextOf, newCallContext } from './call-context.js';

const REQUEST = {
  request_id: 'req-1',
  subject: {
    user_id: 'u',
    project_id: 'p',
    system_scope: null,
    domain_id: null,
    roles: ['reader'],
  },
  action: 'baremetal:node:get',
  decision_id: 'd1',
  api_version: '1.65',
  public_base: 'http://127.0.0.1:6385',
  resources: [{ type: 'node', uuid: 'n1', tenancy_revision: 3 }],
  obligations: {
    filter: { mode: 'none' as const, predicates: [] },
    fields: { masked: ['driver_info'], read_only: [] },
    set: {},
  },
};

describe('the context of a call', () => {
  it('is all that a request carries, without what bound it to that request', () => {
    const claims = {
      ...REQUEST,
      iss: 'gateway' as const,
      aud: 'conductor' as const,
      iat: 1,
      exp: 11,
      jti: '0123456789abcdef',
      method: 'GET',
      target: '/v1/nodes/n1',
      body_sha256: 'x'.repeat(43),
      client_address: '192.0.2.1',
      agent_credentials: { node_uuid: 'n'.repeat(36), token: 'secret' },
    };
    expect(callContextOf(claims)).toEqual(REQUEST);
  });

  it('names no user, no decision and the newest microversion when a part works for itself', () => {
    const context = newCallContext('tenure:conductor:recover');
    expect(context).toEqual({
      request_id: expect.stringMatching(/^req-[0-9a-f-]{36}$/u),
      subject: null,
      action: 'tenure:conductor:recover',
      decision_id: null,
      api_version: '1.91',
      public_base: '',
      resources: [],
      obligations: {
        filter: { mode: 'none', predicates: [] },
        fields: { masked: [], read_only: [] },
        set: {},
      },
    });
    expect(newCallContext('tenure:conductor:recover').request_id).not.toBe(context.request_id);
  });

  it('contains the given facts of the call', () => {
    expect(newCallContext('public', { request_id: 'req-2', api_version: '1.1' })).toMatchObject({
      request_id: 'req-2',
      action: 'public',
      api_version: '1.1',
      subject: null,
    });
  });
});
