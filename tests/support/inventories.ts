import {
  type HandoverRecord,
  type LeaseRecord,
  type NodeRecord,
  type PartName,
} from '@tenure/contracts';
import { createServiceClient, type ServiceClient } from '@tenure/http';
import { newCallContext } from '@tenure/signed-context';
import { FakeInventory } from '@tenure/testing';
import { allocationStoreHttp } from '../../services/allocation/src/adapters/allocation-store-http.js';
import { nodePoolHttp } from '../../services/allocation/src/adapters/node-pool-http.js';
import { type AllocationStore } from '../../services/allocation/src/ports/allocation-store.js';
import { type NodePool } from '../../services/allocation/src/ports/node-pool.js';
import { serverStoreHttp } from '../../services/compute/src/adapters/server-store-http.js';
import { type ServerStore } from '../../services/compute/src/ports/server-store.js';
import { World } from '../../services/compute/src/testing/world.js';
import { createHttpHandoverBook } from '../../services/conductor/src/adapters/handover-book-http.js';
import { createHttpInventory } from '../../services/conductor/src/adapters/inventory-port-http.js';
import { createHttpLeaseBook } from '../../services/conductor/src/adapters/lease-book-http.js';
import { type HandoverBook } from '../../services/conductor/src/ports/handover-book.js';
import { type InventoryPort } from '../../services/conductor/src/ports/inventory-port.js';
import { type LeaseBook } from '../../services/conductor/src/ports/lease-book.js';
import { NOW, startTestApp } from '../../services/inventory/src/testing/test-app.js';

/** An inventory behind every port that other parts have of it, and what a test does without those. */
export interface TestedInventory {
  readonly conductor: InventoryPort;
  readonly leases: LeaseBook;
  readonly handovers: HandoverBook;
  readonly store: AllocationStore;
  readonly pool: NodePool;
  readonly servers: ServerStore;
  readonly put: (node: NodeRecord) => Promise<NodeRecord>;
  readonly putLease: (lease: LeaseRecord) => Promise<LeaseRecord>;
  readonly putHandover: (handover: HandoverRecord) => Promise<HandoverRecord>;
  readonly node: (uuid: string) => Promise<NodeRecord>;
  /** A conductor that has reported sends no more heartbeats until those that it sent are too old. */
  readonly silence: (hostname: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const REPORT = {
  drivers: ['fake-hardware'],
  conductor_group: '',
  advertised_url: 'http://10.0.0.7:8183',
  timeout_seconds: 60,
  interfaces: {},
};

export const INVENTORIES: readonly (readonly [
  name: string,
  open: () => Promise<TestedInventory>,
])[] = [
  ['in memory', inMemory],
  ['over HTTP', overHttp],
];

function inMemory(): Promise<TestedInventory> {
  const fake = new FakeInventory();
  fake.now = () => new Date(NOW);
  const { leases, handovers, store, pool } = fake;
  return Promise.resolve({
    ...{ conductor: fake, leases, handovers, store, pool },
    servers: new World().store,
    put: (node) => Promise.resolve(fake.put(node)),
    putLease: (lease) => Promise.resolve(leases.put(lease)),
    putHandover: (handover) => Promise.resolve(handovers.put(handover)),
    node: (uuid) => Promise.resolve(fake.node(uuid)),
    silence: (hostname) => Promise.resolve(void fake.unheard.add(hostname)),
    close: () => Promise.resolve(),
  });
}

/** The program of the inventory over a store in memory, reached as in production. */
async function overHttp(): Promise<TestedInventory> {
  const app = await startTestApp();
  const { stores } = app;
  const clients: ServiceClient[] = [];
  const clientOf = (part: PartName): ServiceClient => {
    const keys = app.callers[part];
    if (keys === undefined) throw new Error(`no keys of ${part}`);
    const where = { part: 'inventory', baseUrl: app.base } as const;
    clients.push(createServiceClient({ ...where, keys, deadlineMs: 15_000 }));
    return clients.at(-1) ?? clientOf(part);
  };
  const conductor = clientOf('conductor');
  const allocation = clientOf('allocation');
  const inventory = createHttpInventory(conductor);
  const OWN = newCallContext('tenure:conductor:heartbeat');
  let elapsedMs = 0;
  return {
    conductor: inventory,
    leases: createHttpLeaseBook(conductor, 'host-1'),
    handovers: createHttpHandoverBook(conductor),
    store: allocationStoreHttp(allocation),
    pool: nodePoolHttp(allocation),
    servers: serverStoreHttp(clientOf('compute')),
    put: (node) => stores.nodes.insert(() => node),
    putLease: (lease) => stores.leases.insert(() => ({ ...lease, tenancy_revision: 1 })),
    putHandover: (handover) => stores.handovers.insert(() => handover),
    node: (uuid) => inventory.getNode(OWN, uuid),
    silence: async (hostname) => {
      const alive = await inventory.listConductors(OWN);
      elapsedMs += (REPORT.timeout_seconds + 1) * 1000;
      app.setNow(new Date(Date.parse(NOW) + elapsedMs).toISOString());
      for (const { hostname: other } of alive)
        if (other !== hostname) await inventory.report(OWN, other, REPORT);
    },
    close: async () => {
      for (const client of clients) await client.close();
      await app.close();
    },
  };
}
