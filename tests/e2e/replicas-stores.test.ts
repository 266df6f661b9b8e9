import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { classOf } from '../support/cluster/callers.js';
import { type Cluster, startCluster } from '../support/cluster/cluster.js';
import { askInventory, roundRobin, replicasOf, throughGateway } from '../support/cluster/pods.js';
import { availableNode, nodeOf } from '../support/fleet.js';
import { ask, askLatest } from '../support/http-client.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { eventually } from '../support/wait.js';

// The state on which two inventories on one MongoDB must agree, and every replica's behaviour when the shared store is down.

const project = newProject('replicas-stores');
const owner = inProject(project, 'member');
const lesseeProject = newProject('replicas-lessee');
const lessee = inProject(lesseeProject, 'member');
const many = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

let cluster: Cluster;
let inventories: readonly number[];

beforeAll(async () => {
  cluster = await startCluster('replicas-stores');
  inventories = replicasOf(cluster, 'inventory');
});

afterAll(() => cluster.stop(), 60_000);

interface Locked {
  readonly fence: number;
  readonly node: { readonly reservation: string };
}

describe('two inventories on one store', () => {
  it('give one lock to one of many that want it of both at once', async () => {
    const node = availableNode(`${project}-locked`, { owner: project });
    await cluster.importDocument({ nodes: [node] });
    const wanted = await Promise.all(
      many(40).map((n) =>
        askInventory(cluster, roundRobin(inventories, n), {
          caller: 'conductor',
          line: `POST /internal/nodes/${node.uuid}/reservation`,
          body: { holder: `conductor-${String(n)}` },
        }),
      ),
    );
    expect(wanted.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...many(39).map(() => 409),
    ]);
    const winner = wanted.findIndex(({ status }) => status === 200);
    const { fence, node: locked } = (wanted[winner]?.json ?? {}) as Locked;
    expect(locked.reservation).toBe(`conductor-${String(winner)}`);
    // Released at the other one.
    const released = await askInventory(cluster, roundRobin(inventories, winner + 1), {
      caller: 'conductor',
      line: `PATCH /internal/nodes/${node.uuid}`,
      body: { holder: locked.reservation, fence, release: true },
    });
    expect(released.status).toBe(200);
    expect(await nodeOf(cluster, node.uuid)).toMatchObject({ reservation: null });
  });

  it('give one name to one of many nodes that are created with it at once', async () => {
    const name = `${project}-namesake`;
    const created = await Promise.all(
      many(12).map((n) =>
        ask(throughGateway(cluster, n), systemAdmin, 'POST /v1/nodes', {
          body: { driver: 'fake-hardware', name, owner: project },
        }),
      ),
    );
    expect(created.map(({ status }) => status).toSorted()).toEqual([
      201,
      ...many(11).map(() => 409),
    ]);
  });

  it('lose none of many changes of one node', async () => {
    const node = availableNode(`${project}-changed`, { owner: project });
    await cluster.importDocument({ nodes: [node] });
    const statuses = await Promise.all(
      many(12).map(
        async (n) =>
          (
            await ask(throughGateway(cluster, n), owner, `PATCH /v1/nodes/${node.uuid}`, {
              body: [{ op: 'add', path: `/extra/k${String(n)}`, value: n }],
            })
          ).status,
      ),
    );
    const { extra } = (await nodeOf(cluster, node.uuid)) as { readonly extra: object };
    // A request that is refused for contention gets 409.
    const acknowledged = many(12).filter((n) => statuses[n] === 200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(Object.keys(extra).toSorted()).toEqual(
      acknowledged.map((n) => `k${String(n)}`).toSorted(),
    );
  });

  it('give the one free node to one of many allocations, requested at every gateway at once', async () => {
    const resource_class = classOf(project, 'race');
    const node = availableNode(`${project}-race`, { owner: project, resource_class });
    await cluster.importDocument({ nodes: [node] });
    const answers = await Promise.all(
      many(12).map((n) =>
        ask(throughGateway(cluster, n), owner, 'POST /v1/allocations', {
          body: { resource_class },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(many(12).map(() => 201));
    const allocations = await eventually(
      async () => {
        const list = await ask(
          cluster,
          owner,
          `GET /v1/allocations?resource_class=${resource_class}`,
        );
        return (list.json as { allocations: { state: string; node_uuid: string | null }[] })
          .allocations;
      },
      (all) => all.every(({ state }) => state !== 'allocating'),
      { what: 'end of every allocation' },
    );
    expect(allocations.map(({ state }) => state).toSorted()).toEqual([
      'active',
      ...many(11).map(() => 'error'),
    ]);
    expect(allocations.flatMap(({ node_uuid: uuid }) => uuid ?? [])).toEqual([node.uuid]);
  });

  it('page through one list, each page at the other replica', async () => {
    const rows = many(23).map((n) =>
      availableNode(`${project}-page-${String(n)}`, { owner: `${project}-pages` }),
    );
    await cluster.importDocument({ nodes: rows });
    const filter = {
      mode: 'any_of',
      predicates: [{ field: 'owner', op: 'eq', value: `${project}-pages` }],
    };
    const obligations = { filter, fields: { masked: [], read_only: [] }, set: {} };
    const seen: string[] = [];
    for (let page = 0; page < 10; page += 1) {
      const marker = seen.at(-1);
      const { json } = await askInventory(cluster, roundRobin(inventories, page), {
        caller: 'gateway',
        line: `GET /v1/nodes?limit=5${marker === undefined ? '' : `&marker=${marker}`}`,
        claims: { obligations },
      });
      const { nodes, next } = json as { nodes: { uuid: string }[]; next?: string };
      seen.push(...nodes.map(({ uuid }) => uuid));
      if (next === undefined) break;
    }
    expect(seen.toSorted()).toEqual(rows.map(({ uuid }) => uuid).toSorted());
    expect(new Set(seen).size).toBe(23);
  });

  it('end a lease at the same moment, and have it cleared once', async () => {
    const node = availableNode(`${project}-lent`, { owner: project });
    await cluster.importDocument({ nodes: [node] });
    const end = Math.floor(Date.now() / 1000) * 1000 + 4000;
    const lent = await ask(cluster, owner, 'POST /v1/leases', {
      body: { node_uuid: node.uuid, lessee: lesseeProject, end_time: new Date(end).toISOString() },
    });
    expect(lent.status).toBe(201);
    expect((await ask(cluster, lessee, `GET /v1/nodes/${node.uuid}`)).status).toBe(200);
    const lessees = (): Promise<readonly unknown[]> =>
      Promise.all(
        inventories.map(async (port) => {
          const { json } = await askInventory(cluster, port, {
            caller: 'gateway',
            line: `GET /internal/tenancy/nodes/${node.uuid}`,
          });
          return (json as { readonly lessee: string | null }).lessee;
        }),
      );
    expect(await lessees()).toEqual([lesseeProject, lesseeProject]);
    await eventually(
      () => Date.now(),
      (now) => now >= end,
      { every: 20 },
    );
    expect(await lessees()).toEqual([null, null]);
    expect((await ask(cluster, lessee, `GET /v1/nodes/${node.uuid}`)).status).toBe(404);
    const { uuid } = lent.json as { readonly uuid: string };
    await eventually(
      async () => (await ask(cluster, owner, `GET /v1/leases/${uuid}`)).json,
      (lease) => (lease as { readonly status: string }).status === 'ended',
      { within: 40_000, what: 'ended lease' },
    );
    const history = await askLatest(
      cluster,
      systemAdmin,
      `GET /v1/nodes/${node.uuid}/history?detail=true`,
    );
    const { history: entries } = history.json as { readonly history: { readonly event: string }[] };
    // Each step once, whichever conductor did it.
    expect(
      entries.map(({ event }) =>
        event.replaceAll(/ of project.*? (?=began|ended)|;.*$/gu, ' ').trim(),
      ),
    ).toEqual([
      `Lease ${uuid} began`,
      `Lease ${uuid} ended`,
      "The provision state went from 'available' to 'manageable'.",
      "The provision state went from 'manageable' to 'cleaning'.",
      "The provision state went from 'cleaning' to 'available'.",
    ]);
  }, 60_000);
});

const readiness = async (part: 'gateway' | 'inventory' | 'conductor'): Promise<readonly string[]> =>
  Promise.all(cluster.workloads[part].pods.map((pod) => pod.readyz()));

/** Our own message, not that of the ingress. */
const refusal = { status: 503, headers: { 'content-type': 'application/json' } };

describe('what all replicas share', () => {
  it('Redis: without it every gateway stays in service, and answers as before', async () => {
    const node = availableNode(`${project}-redis`, { owner: project });
    await cluster.importDocument({ nodes: [node] });
    cluster.redis.freeze();
    try {
      for (const n of many(6))
        expect(
          (await ask(throughGateway(cluster, n), owner, `GET /v1/nodes/${node.uuid}`)).status,
        ).toBe(200);
      expect(await readiness('gateway')).toEqual(many(3).map(() => '200 ready'));
    } finally {
      cluster.redis.thaw();
    }
  });

  it('MongoDB: without it nobody leaves the service, who asks gets our own 503, and all is well when it is back', async () => {
    cluster.mongo.freeze();
    try {
      await eventually(
        () => readiness('inventory'),
        (said) => said.every((text) => text.startsWith('200 degraded')),
        { what: 'degraded inventories' },
      );
      expect(await ask(cluster, owner, 'GET /v1/nodes')).toMatchObject(refusal);
      expect((await readiness('gateway')).every((text) => text.startsWith('200'))).toBe(true);
      expect((await readiness('conductor')).every((text) => text.startsWith('200'))).toBe(true);
    } finally {
      cluster.mongo.thaw();
    }
    await eventually(
      async () => (await ask(cluster, owner, 'GET /v1/nodes')).status,
      (status) => status === 200,
      { what: 'list' },
    );
  }, 60_000);

  it('the PDPs: without any the gateways stay in service and say 503, and all is well when they are back', async () => {
    const { pods } = cluster.workloads.pdp;
    for (const pod of pods) pod.signal('SIGSTOP');
    try {
      await eventually(
        () => readiness('gateway'),
        (said) => said.every((text) => text === '200 degraded: not reachable: pdp'),
        { what: 'degraded gateways' },
      );
      expect(await ask(cluster, owner, 'GET /v1/nodes')).toMatchObject(refusal);
    } finally {
      for (const pod of pods) pod.signal('SIGCONT');
    }
    await eventually(
      async () => (await ask(cluster, owner, 'GET /v1/nodes')).status,
      (status) => status === 200,
      { what: 'list' },
    );
  }, 60_000);
});
