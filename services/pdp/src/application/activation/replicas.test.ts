import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@tenure/process';
import { createMemoryPolicyStore } from '../../adapters/policy-store-memory.js';
import { type PolicyStore } from '../../ports/policy-store.js';
import { letterLoader, letterRevision, partsOf } from '../../testing/letter-policies.js';
import { createSharedRegistry, type SharedRegistry } from '../../testing/shared-registry.js';
import { createPolicyActivator, type PolicyActivator } from './activator.js';
import { bundleFromPeers } from './peer-bundles.js';
import { createPolicyReplicas, type PolicyReplicas } from './replicas.js';

const A = letterRevision('a');
const B = letterRevision('b');
const C = letterRevision('c');
const logger = createLogger('test', 'fatal', { write: () => undefined });

interface Replica extends PolicyReplicas {
  readonly activator: PolicyActivator;
  has: string;
}

let shared: SharedRegistry;
let running: Replica[];
let time: number;
beforeEach(() => {
  shared = createSharedRegistry();
  running = [];
  time = Date.parse('2026-11-21T06:00:00Z');
});
afterEach(async () => {
  await Promise.all(running.map((replica) => replica.stop()));
});

interface Begin {
  readonly has?: string;
  readonly refused?: readonly string[];
  readonly store?: PolicyStore;
}

/** A replica with a source, and a disk, of its own. */
async function join(
  instance: string,
  { has = 'a', refused = [], store = createMemoryPolicyStore() }: Begin = {},
): Promise<Replica> {
  const registry = shared.registry();
  const source = { has };
  const now = (): Date => new Date(time);
  const seen = await registry.readDesired().catch(() => undefined);
  const activator = await createPolicyActivator({
    source: {
      name: 'somewhere',
      isRemote: true,
      read: () => Promise.resolve(partsOf(source.has)),
      readOverlays: () => Promise.resolve([]),
      fingerprint: () => Promise.resolve(source.has),
    },
    loader: letterLoader(new Set(refused)),
    store,
    deadlineMs: 50,
    keep: 5,
    logger,
    metrics: { activated: () => undefined, loaded: () => undefined, pinned: () => undefined },
    now,
    desired: seen?.desired,
    fromPeers: bundleFromPeers(registry),
  });
  const replicas = createPolicyReplicas({
    activator,
    registry,
    id: instance,
    instance,
    logger,
    now,
    everyMs: 100,
  });
  const replica = Object.assign(source, { ...replicas, activator });
  await replica.start();
  running.push(replica);
  return replica;
}

async function change(text: string, ...replicas: readonly Replica[]): Promise<void> {
  for (const replica of replicas) {
    replica.has = text;
    await replica.reloadIfChanged();
  }
}

const revisionOf = ({ activator }: Replica): string => activator.current().revision;

/** Until all say so; the test runs out of time otherwise. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(20);
}
const untilAt = (revision: string, ...replicas: readonly Replica[]): Promise<void> =>
  until(() => replicas.every((replica) => revisionOf(replica) === revision));

describe('a command to one replica', () => {
  it('reaches all, and those that start later', async () => {
    const [one, two] = [await join('one'), await join('two')];
    await change('b', one, two);
    expect(await one.rollBack(A)).toEqual({ outcome: 'activated', revision: A, peers: 'notified' });
    await untilAt(A, one, two);
    expect(two.activator.stored().pinned).toBe(A);
    // Its own source has B only, so the bundle came from the others.
    const three = await join('three', { has: 'b' });
    expect([revisionOf(three), three.activator.stored().pinned]).toEqual([A, A]);
    await change('c', one, two, three);
    expect([one, two, three].map(revisionOf)).toEqual([A, A, A]);
    expect(await three.reload()).toEqual({ outcome: 'activated', revision: C, peers: 'notified' });
    await untilAt(C, one, two, three);
    expect([one, two, three].map(({ activator }) => activator.stored().pinned)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('may name a revision that only another replica has', async () => {
    const one = await join('one');
    await change('b', one);
    const two = await join('two', { has: 'b' });
    expect(await two.rollBack(A)).toEqual({ outcome: 'activated', revision: A, peers: 'notified' });
    await untilAt(A, one);
  });

  it('starts a replica whose own source has nothing good', async () => {
    const one = await join('one');
    await one.rollBack(A);
    expect(revisionOf(await join('two', { has: 'b!' }))).toBe(A);
  });

  it('is not published when it was refused, or no replica has the bundle', async () => {
    const [one, two] = [await join('one'), await join('two')];
    one.has = 'b!';
    expect(await one.reload()).toMatchObject({ outcome: 'refused', revision: A });
    expect(await one.rollBack(C)).toMatchObject({ outcome: 'unknown', revision: A });
    expect(shared.desired).toBeUndefined();
    expect(two.status().desired).toBeUndefined();
  });

  it('is published later when it came before the replica had peers', async () => {
    const store = createMemoryPolicyStore();
    const one = await join('one', { store });
    await change('b', one);
    await one.activator.rollBack(A);
    const two = await join('two', { has: 'b' });
    await untilAt(A, two);
    expect(shared.desired).toMatchObject({ generation: 0, pinned: A, by: 'one' });
  });
});

describe('an unavailable registry', () => {
  it('lets each keep its policy, and publishes commands of the meantime afterwards', async () => {
    const [one, two] = [await join('one'), await join('two')];
    await change('b', one, two);
    shared.isAway = true;
    expect(await one.rollBack(A)).toEqual({
      outcome: 'activated',
      revision: A,
      peers: 'not notified',
    });
    expect(one.status()).toMatchObject({ isReachable: false, desired: { pinned: A } });
    expect(one.activator.trouble()).toBeUndefined();
    expect(revisionOf(two)).toBe(B);
    await until(() => !two.status().isReachable);
    shared.isAway = false;
    await untilAt(A, one, two);
    await until(() => one.status().isReachable && two.status().isReachable);
  }, 15_000);

  it('has lost everything, and is written again', async () => {
    const [one, two] = [await join('one'), await join('two')];
    await one.rollBack(A);
    await until(() => two.activator.stored().pinned === A);
    const { desired } = shared;
    shared.desired = undefined;
    shared.bundles.clear();
    await until(() => shared.desired !== undefined);
    expect(shared.desired).toEqual(desired);
    expect(revisionOf(await join('three', { has: 'b' }))).toBe(A);
  });

  it('is back after two got different commands: the later one counts at both', async () => {
    const [one, two] = [await join('one'), await join('two')];
    await change('b', one, two);
    shared.isAway = true;
    await one.rollBack(A);
    time += 1000;
    await two.rollBack(B);
    shared.isAway = false;
    await untilAt(B, one, two);
    expect(one.activator.stored()).toMatchObject({ pinned: B, desired: { by: 'two' } });
  }, 15_000);
});

describe('an old entry that is put back into the registry', () => {
  it('has no effect when replicas have a newer one, and is overwritten', async () => {
    const [one, two] = [await join('one'), await join('two')];
    await change('b', one, two);
    await one.rollBack(A);
    await untilAt(A, one, two);
    const old = shared.desired;
    await one.reload();
    await untilAt(B, one, two);
    const now = shared.desired;
    shared.desired = old;
    await shared.registry().publish({ look: 'registry' });
    await until(() => shared.desired !== old);
    expect(shared.desired).toEqual(now);
    expect([one, two].map(revisionOf)).toEqual([B, B]);
    expect([one, two].map(({ activator }) => activator.stored().pinned)).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('a replica that cannot follow the desired revision', () => {
  it('refuses it once, keeps what it has, and says so', async () => {
    const one = await join('one');
    await change('b', one);
    const two = await join('two', { has: 'b', refused: ['a'] });
    await one.rollBack(A);
    await until(() => two.activator.trouble() !== undefined);
    expect(revisionOf(two)).toBe(B);
    expect(two.activator.trouble()).toEqual({
      reason: 'owners do not see',
      failingCase: 'owners see',
    });
    await change('c', two);
    expect(revisionOf(two)).toBe(B);
    await until(() =>
      one
        .status()
        .replicas.some(
          ({ status, reason }) => status === 'degraded' && reason === 'owners do not see',
        ),
    );
    const { history } = two.activator.stored();
    expect(history.filter(({ outcome }) => outcome === 'refused')).toHaveLength(1);
    await one.reload();
    await until(() => two.activator.trouble() === undefined);
    expect(revisionOf(two)).toBe(C);
  }, 15_000);

  it('tries again as long as nobody has the bundle', async () => {
    const one = await join('one', { has: 'b' });
    shared.desired = { generation: 4, pinned: A, at: '2026-11-21T05:00:00Z', by: 'stopped' };
    await until(() => one.activator.trouble() !== undefined);
    expect(one.activator.trouble()?.reason).toBe(`no bundle of ${A} is kept`);
    shared.bundles.set(A, partsOf('a'));
    await untilAt(A, one);
    expect(one.activator.trouble()).toBeUndefined();
  }, 15_000);
});

describe('a change of the source', () => {
  it('makes the others poll at once', async () => {
    const [one, two] = [await join('one'), await join('two')];
    two.has = 'b';
    await change('b', one);
    await untilAt(B, two);
    expect(shared.messages).toContainEqual({ look: 'source' });
  });
});

describe('the status', () => {
  it('lists all that reported lately, this one first', async () => {
    const [one, two] = [await join('one'), await join('two')];
    await until(() => one.status().replicas.length === 2);
    expect(
      one.status().replicas.map(({ instance, revision, status }) => [instance, revision, status]),
    ).toEqual([
      ['one', A, 'ok'],
      ['two', A, 'ok'],
    ]);
    await two.stop();
    await until(() => one.status().replicas.length === 1);
    const [own] = one.status().replicas;
    if (own === undefined) throw new Error('it does not know itself');
    shared.reports.set('old', { ...own, id: 'old', at: '2026-11-21T05:59:40Z' });
    shared.reports.set('new', { ...own, id: 'new', instance: 'new' });
    await until(() => one.status().replicas.length === 2);
    expect(one.status().replicas.map(({ id }) => id)).toEqual(['one', 'new']);
    shared.reports.set('expired', { ...own, id: 'expired', at: '2026-11-21T05:50:00Z' });
    await until(() => !shared.reports.has('expired'));
  });
});
