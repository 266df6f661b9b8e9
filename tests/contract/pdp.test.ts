import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// The decision point over HTTP, as the gateway and any OPA client ask it (docs/contracts/policy-input.md).

let tenure: Tenure;
beforeAll(async () => {
  tenure = await sharedTenure();
});

const member = {
  user_id: 'u',
  project_id: 'p-a',
  system_scope: null,
  domain_id: null,
  roles: ['member'],
};
const reader = { ...member, roles: ['reader'] };
const systemAdmin = { ...member, project_id: null, system_scope: 'all', roles: ['admin'] };
const unscoped = { ...member, project_id: null, roles: ['admin'] };
const own = { type: 'node', owner: 'p-a', lessee: null, tenancy_revision: 1 };
const leased = { ...own, owner: 'p-b', lessee: 'p-a' };
const foreign = { ...own, owner: 'p-b' };
const unowned = { ...own, owner: null };
const nothing = { type: 'none', owner: null, lessee: null, tenancy_revision: 0 };
const now = '2026-11-21T06:00:00Z';

interface Decision {
  readonly allow: boolean;
  readonly visible: boolean;
  readonly reason: string;
  readonly denied: readonly string[];
  readonly filter: {
    readonly mode: string;
    readonly predicates: readonly {
      readonly field: string;
      readonly op: string;
      readonly value: string;
    }[];
  };
  readonly fields: { readonly masked: readonly string[]; readonly read_only: readonly string[] };
  readonly set: Readonly<Record<string, string>>;
  readonly revision: string;
}

async function post(path: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${String(tenure.ports.pdp)}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    signal: AbortSignal.timeout(5000),
  });
  return { status: response.status, text: await response.text() };
}

async function decide(input: object): Promise<Decision> {
  const { status, text } = await post('/v1/data/tenure/authz/decision', JSON.stringify({ input }));
  expect(status).toBe(200);
  const answer = JSON.parse(text) as { readonly decision_id: string; readonly result: Decision };
  expect(answer.decision_id).toEqual(expect.any(String));
  return answer.result;
}

describe('a decision', () => {
  it.each([
    [
      'a member reads an own node',
      { action: 'baremetal:node:get', subject: member, resource: own },
      { visible: true, allow: true },
    ],
    [
      'a member reads a leased node',
      { action: 'baremetal:node:get', subject: member, resource: leased },
      { visible: true, allow: true },
    ],
    [
      'a member reads a foreign node',
      { action: 'baremetal:node:get', subject: member, resource: foreign },
      { visible: false, allow: false },
    ],
    [
      'a member reads a node of nobody',
      { action: 'baremetal:node:get', subject: member, resource: unowned },
      { visible: false, allow: false },
    ],
    [
      'someone without a project reads a node of nobody',
      { action: 'baremetal:node:get', subject: unscoped, resource: unowned },
      { visible: false, allow: false },
    ],
    [
      'a system admin reads a node of nobody',
      { action: 'baremetal:node:get', subject: systemAdmin, resource: unowned },
      { visible: true, allow: true },
    ],
    [
      'a reader switches an own node',
      { action: 'baremetal:node:set_power_state', subject: reader, resource: own },
      { visible: true, allow: false },
    ],
    [
      'a member switches an own node',
      { action: 'baremetal:node:set_power_state', subject: member, resource: own },
      { visible: true, allow: true },
    ],
    [
      'a member switches a foreign node',
      { action: 'baremetal:node:set_power_state', subject: member, resource: foreign },
      { visible: false, allow: false },
    ],
    [
      'a lessee sets maintenance',
      { action: 'baremetal:node:set_maintenance', subject: member, resource: leased },
      { visible: true, allow: false },
    ],
    [
      'an owner sets maintenance',
      { action: 'baremetal:node:set_maintenance', subject: member, resource: own },
      { visible: true, allow: true },
    ],
  ])('%s', async (_, question, expected) => {
    const decision = await decide({ ...question, now });
    expect(decision).toMatchObject(expected);
    // A refusal names the action; an allow names nothing.
    expect(decision.denied.length === 0).toBe(expected.allow);
    expect(decision.revision).not.toBe('');
  });

  it('refuses an action that does not exist, to anybody', async () => {
    const question = { action: 'baremetal:node:explode', subject: systemAdmin, resource: own, now };
    expect(await decide(question)).toMatchObject({ allow: false, reason: 'unknown_action' });
  });

  it("limits a project's list to what it owns or leases", async () => {
    const { allow, filter } = await decide({
      action: 'baremetal:node:list',
      subject: reader,
      resource: nothing,
      now,
    });
    expect(allow).toBe(true);
    expect(filter.mode).toBe('any_of');
    expect(filter.predicates.map(({ field, op, value }) => ({ field, op, value }))).toEqual([
      { field: 'owner', op: 'eq', value: 'p-a' },
      { field: 'lessee', op: 'eq', value: 'p-a' },
    ]);
  });

  it('does not limit the list of a system reader', async () => {
    const { allow, filter } = await decide({
      action: 'baremetal:node:list',
      subject: { ...systemAdmin, roles: ['reader'] },
      resource: nothing,
      now,
    });
    expect({ allow, mode: filter.mode }).toEqual({ allow: true, mode: 'all' });
  });

  it('refuses a list to who has no project', async () => {
    expect(
      (await decide({ action: 'baremetal:node:list', subject: unscoped, resource: nothing, now }))
        .allow,
    ).toBe(false);
  });

  it('masks driver_info from a lessee and not from the owner', async () => {
    expect(
      (await decide({ action: 'baremetal:node:get', subject: member, resource: leased, now }))
        .fields.masked,
    ).toContain('driver_info');
    expect(
      (await decide({ action: 'baremetal:node:get', subject: member, resource: own, now })).fields
        .masked,
    ).not.toContain('driver_info');
  });

  it('gives a restricted allocation the project of its maker', async () => {
    const { allow, set } = await decide({
      action: 'baremetal:allocation:create',
      subject: member,
      resource: nothing,
      requested: {},
      now,
    });
    expect({ allow, set }).toEqual({ allow: true, set: { owner: 'p-a' } });
    expect(
      (
        await decide({
          action: 'baremetal:allocation:create',
          subject: member,
          resource: nothing,
          requested: { owner: 'p-b' },
          now,
        })
      ).allow,
    ).toBe(false);
  });

  it.each([
    ['/owner', 'baremetal:node:update:owner'],
    ['/driver_info/address', 'baremetal:node:update:driver_info'],
    ['/maintenance', 'baremetal:node:'],
  ] as const)('names the action refused to a lessee who updates %s', async (pointer, denied) => {
    const decision = await decide({
      action: 'baremetal:node:update',
      subject: member,
      resource: leased,
      fields: [pointer],
      now,
    });
    expect({ allow: decision.allow, visible: decision.visible }).toEqual({
      allow: false,
      visible: true,
    });
    expect(decision.denied[0]).toContain(denied);
  });

  it('answers many actions at once as it answers each', async () => {
    const actions = [
      'baremetal:node:get',
      'baremetal:node:set_power_state',
      'baremetal:node:delete',
      'baremetal:node:explode',
    ];
    const { status, text } = await post(
      '/v1/data/tenure/authz/batch',
      JSON.stringify({ input: { subject: reader, resource: own, actions, now } }),
    );
    expect(status).toBe(200);
    const { result } = JSON.parse(text) as { readonly result: Readonly<Record<string, Decision>> };
    expect(actions.map((action) => result[action]?.allow)).toEqual([true, false, false, false]);
    for (const action of actions)
      expect((await decide({ action, subject: reader, resource: own, now })).allow).toBe(
        result[action]?.allow,
      );
  });
});

describe('a question that is none', () => {
  it.each<readonly [string, unknown]>([
    ['nothing at all', undefined],
    ['null', null],
    ['a string', 'yes'],
    ['an empty object', {}],
    [
      'roles that are a string',
      { action: 'baremetal:node:get', subject: { ...member, roles: 'admin' }, resource: own, now },
    ],
    [
      'a subject that is an array',
      { action: 'baremetal:node:get', subject: [member], resource: own, now },
    ],
    [
      'a resource without an owner',
      { action: 'baremetal:node:get', subject: member, resource: { type: 'node' }, now },
    ],
    ['an action that is an object', { action: { a: 1 }, subject: systemAdmin, resource: own, now }],
    [
      'a resource of the wrong type',
      { action: 'baremetal:node:get', subject: systemAdmin, resource: 'node', now },
    ],
  ])('is never allowed: %s', async (_, input) => {
    const { status, text } = await post(
      '/v1/data/tenure/authz/decision',
      JSON.stringify(input === undefined ? {} : { input }),
    );
    const { result } = JSON.parse(text) as { readonly result?: Decision };
    // Either an error, or a decision that says no; never an answer without either.
    expect(status === 400 ? 'error' : result?.allow).toBe(status === 400 ? 'error' : false);
  });

  it('with a lone surrogate in it is answered, not choked on', async () => {
    const { status } = await post(
      '/v1/data/tenure/authz/decision',
      JSON.stringify({
        input: {
          action: 'baremetal:node:get',
          subject: { ...member, user_id: '\ud800' },
          resource: own,
          now,
        },
      }),
    );
    expect([200, 400]).toContain(status);
  });

  it.each([
    ['not JSON', '{', 400],
    ['an array', '[]', 400],
    ['a megabyte and more', `{"input":"${'x'.repeat(3_000_000)}"}`, 413],
  ] as const)('is an error: %s', async (_, body, status) => {
    expect((await post('/v1/data/tenure/authz/decision', body)).status).toBe(status);
  });
});
