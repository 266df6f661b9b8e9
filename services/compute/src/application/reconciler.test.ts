import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, createRegistry } from '@tenure/process';
import { building, NOW, OTHER_UUID, server, task, UUID } from '../testing/servers.js';
import { fakeNode, World } from '../testing/world.js';
import { createComputeMetrics } from './metrics.js';
import { createReconciler, type Reconciler, type ReconcilerOptions } from './reconciler.js';

const RECOVER_MS = 5000;
const WATCH_MS = 60_000;

let world: World;

beforeEach(() => {
  world = new World([fakeNode('node-1'), fakeNode('node-2')]);
});

/** Waits without time: what is under way on machines ends meanwhile, and the long pauses last until the stop. */
const sleep: ReconcilerOptions['sleep'] = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
    if (ms >= RECOVER_MS) return;
    setImmediate(() => {
      world.finishAll();
      resolve();
    });
  });

const make = (holder = 'replica-1'): Reconciler =>
  createReconciler({
    store: world.store,
    allocations: world.allocator,
    nodes: world.verbs,
    limits: { build: 100, remove: 100, power: 100, shutdown: 10 },
    holder,
    logger: createLogger('test', 'fatal'),
    metrics: createComputeMetrics(createRegistry('compute')),
    sleep,
    now: () => NOW,
    newRequestId: () => 'req-1',
    workers: 2,
    poll: { firstMs: 10, longestMs: 20 },
    recoverEveryMs: RECOVER_MS,
    watchEveryMs: WATCH_MS,
  });

/** Lets everything run that needs no time; fails when it does not come about. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tick = 0; tick < 5000 && !isSo(); tick += 1)
    await new Promise((resolve) => setImmediate(resolve));
  if (!isSo()) throw new Error('it did not come about');
}

describe('the reconciler', () => {
  it('completes submitted tasks, also while parts do not answer for a while', async () => {
    const reconciler = make();
    world.add(building());
    world.failures = 7;
    reconciler.submit(UUID);
    await until(() => world.servers.get(UUID)?.status === 'ACTIVE');
    await reconciler.stop();
    expect(world.orders).toEqual(['allocate', 'active']);
  });

  it('finds the tasks of a dead replica', async () => {
    world.add(building());
    world.add(server({ uuid: OTHER_UUID, task_state: 'deleting', task: task({ kind: 'delete' }) }));
    const reconciler = make();
    expect(reconciler.isReady()).toBe(false);
    reconciler.start();
    await until(() => world.servers.get(UUID)?.status === 'ACTIVE' && world.servers.size === 1);
    expect(reconciler.isReady()).toBe(true);
    await reconciler.stop();
    expect(reconciler.isReady()).toBe(false);
  });

  it('is not ready while the inventory does not answer', async () => {
    world.failures = Number.POSITIVE_INFINITY;
    const reconciler = make();
    reconciler.start();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reconciler.isReady()).toBe(false);
    await reconciler.stop();
  });

  it('goes on with a task that is requested while the one before is carried out', async () => {
    const reconciler = make();
    world.add(building());
    reconciler.submit(UUID);
    await until(() => world.servers.get(UUID)?.status === 'ACTIVE');
    world.servers.set(UUID, {
      ...world.server(UUID),
      task_state: 'powering-off',
      task: task({ kind: 'stop' }),
    });
    reconciler.submit(UUID);
    reconciler.submit(UUID);
    await until(() => world.servers.get(UUID)?.status === 'SHUTOFF');
    await reconciler.stop();
    expect(world.orders).toEqual(['allocate', 'active', 'soft power off']);
  });

  it('releases its tasks when it is stopped, so that another replica goes on at once', async () => {
    const first = make('replica-1');
    world.add(building());
    first.submit(UUID);
    await until(() => world.server(UUID).task?.holder === 'replica-1');
    await first.stop();
    expect(world.server(UUID).task).toMatchObject({ holder: null, held_until: null });
    const second = make('replica-2');
    second.submit(UUID);
    await until(() => world.servers.get(UUID)?.status === 'ACTIVE');
    await second.stop();
  });

  it('lets two replicas build many servers, each once', async () => {
    world.nodes.push(
      ...Array.from({ length: 18 }, (_, index) => fakeNode(`more-${String(index)}`)),
    );
    const uuids = Array.from(
      { length: 20 },
      (_, index) => `${UUID.slice(0, -2)}${String(index + 10)}`,
    );
    const replicas = [make('a'), make('b')];
    for (const uuid of uuids) world.add(building({ uuid }));
    for (const replica of replicas) for (const uuid of uuids) replica.submit(uuid);
    await until(() => [...world.servers.values()].every(({ status }) => status === 'ACTIVE'));
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(world.orders.filter((order) => order === 'active')).toHaveLength(20);
    expect(new Set(world.nodes.map(({ instance }) => instance)).size).toBe(20);
  });
});

describe('a server that nothing is done with', () => {
  const watched = async (): Promise<void> => {
    const reconciler = make();
    reconciler.start();
    await until(() => reconciler.isReady());
    for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    await reconciler.stop();
  };
  const onNode = (power: string): void => {
    Object.assign(world.nodes[0] ?? {}, {
      instance: UUID,
      allocation: UUID,
      provision_state: 'active',
      power_state: power,
    });
  };

  it('follows its machine, which was switched by hand', async () => {
    world.add(server());
    onNode('power off');
    await watched();
    expect(world.server(UUID)).toMatchObject({
      vm_state: 'stopped',
      status: 'SHUTOFF',
      power_state: 4,
    });
    onNode('power on');
    await watched();
    expect(world.server(UUID)).toMatchObject({
      vm_state: 'active',
      status: 'ACTIVE',
      power_state: 1,
    });
  });

  it('is in error when its machine was taken away', async () => {
    world.add(server());
    await watched();
    expect(world.server(UUID)).toMatchObject({
      status: 'ERROR',
      fault: { message: `Instance ${UUID} has lost its node.` },
    });
  });

  it('is left alone while a conductor works on its machine, and when it is as it should be', async () => {
    world.add(server());
    onNode('power off');
    Object.assign(world.nodes[0] ?? {}, { reserved: true });
    await watched();
    onNode('power on');
    Object.assign(world.nodes[0] ?? {}, { reserved: false });
    await watched();
    expect(world.server(UUID).revision).toBe(1);
  });
});
