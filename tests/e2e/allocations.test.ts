import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, nodeOf } from '../support/fleet.js';
import { type Answer, ask, faultString } from '../support/http-client.js';
import { runDirectory } from '../support/paths.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { freePort, start, type Started, stopGroup } from '../support/processes.js';
import { partPid, sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

interface Allocation {
  readonly uuid: string;
  readonly name: string;
  readonly owner: string | null;
  readonly state: string;
  readonly node_uuid: string | null;
  readonly last_error: string | null;
}

const projectA = newProject('alloc-a');
const projectB = newProject('alloc-b');
const memberA = inProject(projectA, 'member');
const readerA = inProject(projectA, 'reader');
const memberB = inProject(projectB, 'member');

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
});

const create = (persona: Persona, body: object, to: Tenure = tenure): Promise<Answer> =>
  ask(to, persona, 'POST /v1/allocations', { body });

async function finished(persona: Persona, ident: string): Promise<Allocation> {
  const answer = await eventually(
    () => ask(tenure, persona, `GET /v1/allocations/${ident}`),
    ({ json }) => (json as Allocation | null)?.state !== 'allocating',
    { what: `finished allocation ${ident}` },
  );
  return answer.json as Allocation;
}

async function allOf(resourceClass: string): Promise<readonly Allocation[]> {
  const answer = await eventually(
    () => ask(tenure, systemAdmin, `GET /v1/allocations?resource_class=${resourceClass}`),
    ({ status, json }) =>
      status === 200 &&
      (json as { allocations: Allocation[] }).allocations.every(
        ({ state }) => state !== 'allocating',
      ),
    { within: 30_000, what: 'finished allocations' },
  );
  return (answer.json as { allocations: Allocation[] }).allocations;
}

async function fleet(
  resourceClass: string,
  count: number,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<readonly FleetNode[]> {
  const nodes = Array.from({ length: count }, (_, n) =>
    availableNode(`${resourceClass}-${String(n)}`, {
      owner: projectA,
      resource_class: resourceClass,
      ...fields,
    }),
  );
  await tenure.importDocument({ nodes });
  return nodes;
}

async function expectFiveOfTwenty(
  resourceClass: string,
  nodes: readonly FleetNode[],
  answers: readonly Answer[],
): Promise<void> {
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
  const all = await allOf(resourceClass);
  expect(all.filter(({ state }) => state === 'active')).toHaveLength(5);
  expect(all.filter(({ state }) => state === 'error')).toHaveLength(15);
  const taken = all.flatMap(({ node_uuid: uuid }) => (uuid === null ? [] : [uuid]));
  expect(taken.toSorted()).toEqual(nodes.map(({ uuid }) => uuid).toSorted());
  for (const allocation of all.filter(({ state }) => state === 'active')) {
    expect(await nodeOf(tenure, allocation.node_uuid ?? '')).toMatchObject({
      allocation_uuid: allocation.uuid,
      instance_uuid: allocation.uuid,
    });
  }
  for (const allocation of all.filter(({ state }) => state === 'error'))
    expect(allocation.last_error).toContain(resourceClass);
}

describe('a race for nodes', () => {
  it('gives five nodes to five of twenty requests, and no node twice', async () => {
    expect.hasAssertions();
    const resourceClass = `race-${projectA}`;
    const nodes = await fleet(resourceClass, 5);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create(memberA, { resource_class: resourceClass })),
    );
    await expectFiveOfTwenty(resourceClass, nodes, answers);
  });

  it('gives a name to one of ten requests for it', async () => {
    const resourceClass = `named-${projectA}`;
    await fleet(resourceClass, 10);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        create(memberA, { resource_class: resourceClass, name: `one-${projectA}` }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      201, 409, 409, 409, 409, 409, 409, 409, 409, 409,
    ]);
    expect(await allOf(resourceClass)).toHaveLength(1);
  });
});

describe('two allocation services at work', () => {
  const extra: Started[] = [];
  let second: Tenure;

  // The settings that `tenure up` gave to a part, read from the part itself.
  const environmentOf = (pid: number): Record<string, string> =>
    Object.fromEntries(
      readFileSync(`/proc/${String(pid)}/environ`, 'utf8')
        .split('\0')
        .filter((line) => line.includes('='))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  const commandOf = (pid: number): readonly string[] =>
    readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
      .split('\0')
      .filter((word) => word !== '');

  async function twin(
    part: 'gateway' | 'allocation',
    change: Readonly<Record<string, string>>,
  ): Promise<number> {
    const pid = await partPid(tenure, part);
    const [command = process.execPath, ...args] = commandOf(pid);
    const port = await freePort();
    const adminPort = await freePort();
    const name = part.toUpperCase();
    const env = {
      ...environmentOf(pid),
      [`${name}_PORT`]: String(port),
      [`${name}_ADMIN_PORT`]: String(adminPort),
      ...change,
    };
    extra.push(
      start({
        command,
        args,
        env,
        cwd: process.cwd(),
        logFile: path.join(runDirectory, `second-${part}.log`),
      }),
    );
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${String(adminPort)}/readyz`)).status,
      (status) => status === 200,
      { what: `second ${part}` },
    );
    return port;
  }

  beforeAll(async () => {
    const allocationPort = await twin('allocation', {});
    const gatewayPort = await twin('gateway', {
      ALLOCATION_PORT: String(allocationPort),
      ALLOCATION_URL: `http://127.0.0.1:${String(allocationPort)}`,
    });
    second = { ...tenure, url: `http://127.0.0.1:${String(gatewayPort)}` };
  });

  afterAll(async () => {
    for (const { pid } of extra) await stopGroup(pid, 15_000);
  });

  it('gives five nodes to five of twenty requests spread over both', async () => {
    expect.hasAssertions();
    const resourceClass = `twice-${projectA}`;
    const nodes = await fleet(resourceClass, 5);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        create(memberA, { resource_class: resourceClass }, n % 2 === 0 ? tenure : second),
      ),
    );
    await expectFiveOfTwenty(resourceClass, nodes, answers);
  });
});

describe('whose nodes an allocation may take', () => {
  const resourceClass = `rules-${projectB}`;
  const owned = availableNode(`${resourceClass}-owned`, {
    owner: projectA,
    resource_class: `${resourceClass}-owned`,
  });
  const leased = availableNode(`${resourceClass}-leased`, {
    owner: projectB,
    lessee: projectA,
    resource_class: `${resourceClass}-leased`,
  });
  const foreign = availableNode(`${resourceClass}-foreign`, {
    owner: projectB,
    resource_class: `${resourceClass}-foreign`,
  });
  const unowned = availableNode(`${resourceClass}-unowned`, {
    resource_class: `${resourceClass}-unowned`,
  });

  beforeAll(() => tenure.importDocument({ nodes: [owned, leased, foreign, unowned] }));

  it.each([
    ['an own node', owned, 'active'],
    ['a leased node', leased, 'active'],
    ['a node of another project', foreign, 'error'],
    ['a node of nobody', unowned, 'error'],
  ] as const)('a project member asking for %s: %s', async (label, node, state) => {
    const answer = await create(memberA, {
      resource_class: node['resource_class'],
      name: `${label.replaceAll(' ', '-')}-${projectA}`,
    });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ owner: projectA });
    const { uuid } = answer.json as Allocation;
    expect(await finished(memberA, uuid)).toMatchObject({
      state,
      owner: projectA,
      node_uuid: state === 'active' ? node.uuid : null,
    });
    expect((await ask(tenure, memberA, `DELETE /v1/allocations/${uuid}`)).status).toBe(204);
  });

  it('reveals to a member no more about a node of another project than about a missing one', async () => {
    const asking = async (candidate: string): Promise<unknown> => {
      const answer = await create(memberA, {
        resource_class: foreign['resource_class'],
        candidate_nodes: [candidate],
      });
      const { uuid } = (answer.json ?? {}) as Partial<Allocation>;
      const after = uuid === undefined ? null : await finished(memberA, uuid);
      const hide = (text: string): string =>
        text.replaceAll(candidate, 'CANDIDATE').replaceAll(uuid ?? '-', 'UUID');
      return {
        status: answer.status,
        fault: faultString(answer.text) === null ? null : hide(faultString(answer.text) ?? ''),
        state: after?.state,
        error: hide(after?.last_error ?? ''),
      };
    };
    expect(await asking(foreign.name)).toEqual(
      await asking(foreign.name.replace('foreign', 'missing')),
    );
  });

  it('refuses a member another project as owner with 403', async () => {
    const answer = await create(memberA, {
      resource_class: foreign['resource_class'],
      owner: projectB,
    });
    expect(answer.status).toBe(403);
    expect(faultString(answer.text)).toContain('baremetal:allocation:create');
  });

  it('refuses a reader with 403', async () => {
    expect((await create(readerA, { resource_class: owned['resource_class'] })).status).toBe(403);
  });

  it('lets a system administrator allocate for a project, from what that project may use', async () => {
    const good = await create(systemAdmin, {
      resource_class: foreign['resource_class'],
      owner: projectB,
    });
    expect(good.status).toBe(201);
    const active = await finished(memberB, (good.json as Allocation).uuid);
    expect(active).toMatchObject({ state: 'active', owner: projectB, node_uuid: foreign.uuid });
    expect((await ask(tenure, memberB, `DELETE /v1/allocations/${active.uuid}`)).status).toBe(204);

    const bad = await create(systemAdmin, {
      resource_class: foreign['resource_class'],
      owner: projectA,
    });
    expect(await finished(systemAdmin, (bad.json as Allocation).uuid)).toMatchObject({
      state: 'error',
      owner: projectA,
      node_uuid: null,
    });
  });

  it('leaves the owner empty for a system administrator who names none, who may take any node', async () => {
    const answer = await create(systemAdmin, { resource_class: unowned['resource_class'] });
    const active = await finished(systemAdmin, (answer.json as Allocation).uuid);
    expect(active).toMatchObject({ state: 'active', owner: null, node_uuid: unowned.uuid });
    expect((await ask(tenure, memberA, `GET /v1/allocations/${active.uuid}`)).status).toBe(404);
    expect((await ask(tenure, systemAdmin, `DELETE /v1/allocations/${active.uuid}`)).status).toBe(
      204,
    );
  });

  it('passes over nodes in maintenance, reserved, not available, or of unknown power state', async () => {
    const odd = `odd-${projectA}`;
    const base = { owner: projectA, resource_class: odd };
    await tenure.importDocument({
      nodes: [
        availableNode(`${odd}-maintenance`, { ...base, maintenance: true }),
        availableNode(`${odd}-active`, { ...base, provision_state: 'active' }),
        availableNode(`${odd}-instance`, {
          ...base,
          instance_uuid: 'c0ffee00-0000-4000-8000-000000000001',
        }),
        availableNode(`${odd}-dark`, { ...base, power_state: null, provision_state: 'enroll' }),
      ],
    });
    const answer = await create(memberA, { resource_class: odd });
    expect(await finished(memberA, (answer.json as Allocation).uuid)).toMatchObject({
      state: 'error',
      node_uuid: null,
    });
  });

  it('takes a node only with all the requested traits', async () => {
    const kind = `traits-${projectA}`;
    const plain = availableNode(`${kind}-plain`, {
      owner: projectA,
      resource_class: kind,
      traits: ['CUSTOM_FAST'],
    });
    const full = availableNode(`${kind}-full`, {
      owner: projectA,
      resource_class: kind,
      traits: ['CUSTOM_FAST', 'CUSTOM_GPU'],
    });
    await tenure.importDocument({ nodes: [plain, full] });
    const answer = await create(memberA, {
      resource_class: kind,
      traits: ['CUSTOM_GPU', 'CUSTOM_FAST'],
    });
    expect(await finished(memberA, (answer.json as Allocation).uuid)).toMatchObject({
      state: 'active',
      node_uuid: full.uuid,
    });
  });
});
