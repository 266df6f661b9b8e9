import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, ask } from '../support/http-client.js';
import { type Seen, seenIn } from './noninterference/probe.js';
import { type Cloud, PERSONAS, startOwnCloud } from './servers/cloud.js';
import { describeServers } from './servers/rounds.js';
import { type Caller } from './servers/table.js';

describeServers('the compute service', startOwnCloud);

describe('a lock', () => {
  let cloud: Cloud;

  beforeAll(async () => {
    cloud = await startOwnCloud('servers-locks', {});
  });

  afterAll(() => cloud.stop());

  const act = (caller: Caller, id: string, body: unknown): Promise<Answer> =>
    ask(cloud.tenure, PERSONAS[caller], `POST /v2.1/servers/${id}/action`, { body });
  const lockedBy = async (caller: Caller): Promise<string> => {
    const id = await cloud.server('ann');
    expect((await act(caller, id, { lock: null })).status).toBe(202);
    return id;
  };

  it.each<Caller>(['creator', 'system admin'])(
    'of the %s is heeded by everybody but the system’s administrator',
    async (locker) => {
      const id = await lockedBy(locker);
      for (const caller of ['creator', 'colleague', 'project admin'] as const) {
        const refused = await act(caller, id, { 'os-stop': null });
        expect([refused.status, refused.json]).toEqual([
          409,
          { conflictingRequest: { code: 409, message: `Instance ${id} is locked` } },
        ]);
      }
      const removal = `DELETE /v2.1/servers/${id}`;
      expect((await ask(cloud.tenure, PERSONAS.creator, removal)).status).toBe(409);
      expect((await act('system admin', id, { 'os-stop': null })).status).toBe(202);
    },
  );

  it('does not keep from reading and renaming', async () => {
    const id = await lockedBy('system admin');
    const body = { server: { name: 'renamed' } };
    const line = `/v2.1/servers/${id}`;
    expect((await ask(cloud.tenure, PERSONAS.creator, `GET ${line}`)).status).toBe(200);
    expect((await ask(cloud.tenure, PERSONAS.creator, `PUT ${line}`, { body })).status).toBe(200);
  });

  it('of the project is removed by the project', async () => {
    const id = await lockedBy('creator');
    expect((await act('colleague', id, { unlock: null })).status).toBe(202);
    expect((await act('creator', id, { 'os-stop': null })).status).toBe(202);
  });

  it('of the system is removed by the system alone', async () => {
    const id = await lockedBy('system admin');
    const refused = await act('project admin', id, { unlock: null });
    expect([refused.status, refused.json]).toEqual([
      403,
      {
        forbidden: {
          code: 403,
          message:
            "Policy doesn't allow os_compute_api:os-lock-server:unlock:unlock_override to be performed.",
        },
      },
    ]);
    expect((await act('system admin', id, { unlock: null })).status).toBe(202);
    expect((await act('creator', id, { 'os-stop': null })).status).toBe(202);
  });
});

describe('a list', () => {
  let cloud: Cloud;

  beforeAll(async () => {
    cloud = await startOwnCloud('servers-lists', {});
  });

  afterAll(() => cloud.stop());

  it.each([
    'marker',
    'uuid',
    'name',
    'changes-since',
    'host',
    'node',
    'key_name',
    'tags',
    'user_id',
  ])('of another project reveals by %s nothing of a server that is not its own', async (key) => {
    const [hidden, nowhere] = [await cloud.server('ann'), randomUUID()];
    for (const path of ['/v2.1/servers', '/v2.1/servers/detail']) {
      const seen = async (id: string): Promise<Seen> =>
        seenIn(
          await ask(cloud.tenure, PERSONAS['other project'], `GET ${path}?${key}=${id}`, {
            headers: { 'OpenStack-API-Version': 'compute latest' },
          }),
          id,
        );
      expect(await seen(hidden)).toEqual(await seen(nowhere));
    }
  });

  it('has the servers of the token’s project, and of every project for who may ask for all', async () => {
    const id = await cloud.server('ann');
    const shows = async (caller: Caller, query: string): Promise<readonly [boolean, unknown]> => {
      const answer = await ask(cloud.tenure, PERSONAS[caller], `GET /v2.1/servers${query}`);
      return [answer.text.includes(id), answer.headers['x-tenure-policy-filter']];
    };
    expect(await shows('colleague', '')).toEqual([true, 'project_id']);
    expect(await shows('other project', '')).toEqual([false, 'project_id']);
    expect(await shows('system admin', '?all_tenants=1')).toEqual([true, 'all']);
    expect((await shows('system admin', ''))[0]).toBe(false);
  });
});
