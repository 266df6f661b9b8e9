import { describe, expect, it } from '@jest/globals';
import { ask } from '../support/http-client.js';
import { systemAdmin } from '../support/personas.js';
import { startStubOpenStack } from '../support/stub-openstack.js';
import { startTenure } from '../support/tenure.js';
import { PERSONAS, PROJECT, startStubCloud } from './servers/cloud.js';
import { describeServers } from './servers/rounds.js';

describeServers('a Nova behind NOVA_URL', startStubCloud);

describe('a Nova', () => {
  it('that does not answer allows nothing', async () => {
    const stub = await startStubOpenStack();
    const tenure = await startTenure('nova-down', stub.settings);
    try {
      const line = `DELETE /v2.1/servers/${stub.add({ tenant_id: PROJECT, user_id: 'ann' })}`;
      expect((await ask(tenure, PERSONAS.colleague, line)).status).toBe(204);
      await stub.stop();
      for (const persona of [PERSONAS.creator, systemAdmin]) {
        const answer = await ask(tenure, persona, line, { within: 10_000 });
        expect([answer.status, answer.json]).toEqual([
          503,
          {
            serviceUnavailable: {
              code: 503,
              message: 'The compute service is temporarily unavailable.',
            },
          },
        ]);
      }
    } finally {
      await tenure.stop();
    }
  });

  it('is not taken without a user of Keystone by whom it can be called', async () => {
    const outcome = await startTenure('nova-alone', { NOVA_URL: 'http://127.0.0.1:8774' }).then(
      async (tenure) => {
        await tenure.stop();
        return 'it started';
      },
      (error: unknown) => String(error),
    );
    expect(outcome).toContain('NOVA_URL needs KEYSTONE_URL');
  });
});
