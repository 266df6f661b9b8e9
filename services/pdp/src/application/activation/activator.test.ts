import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@tenure/process';
import { createMemoryPolicyStore } from '../../adapters/policy-store-memory.js';
import { type PolicySource, SourceAway } from '../../ports/policy-source.js';
import { type PolicyStore } from '../../ports/policy-store.js';
import {
  letterLoader,
  letterRevision as revision,
  partsOf,
} from '../../testing/letter-policies.js';
import { createPolicyActivator, type PolicyActivator } from './activator.js';

const A = revision('a');
const B = revision('b');
const C = revision('c');

let has: string | Error;
let store: { -readonly [K in keyof PolicyStore]: PolicyStore[K] };
const source: PolicySource = {
  name: 'somewhere',
  isRemote: true,
  read: () => (has instanceof Error ? Promise.reject(has) : Promise.resolve(partsOf(has))),
  readOverlays: () => Promise.resolve([]),
  fingerprint: () => (has instanceof Error ? Promise.reject(has) : Promise.resolve(has)),
};
beforeEach(() => {
  has = 'a';
  store = createMemoryPolicyStore();
});

const keep = (changes: Partial<PolicySource> = {}): Promise<PolicyActivator> =>
  createPolicyActivator({
    source: { ...source, ...changes },
    loader: letterLoader(),
    store,
    deadlineMs: 50,
    keep: 3,
    logger: createLogger('test', 'fatal', { write: () => undefined }),
    metrics: { activated: () => undefined, loaded: () => undefined, pinned: () => undefined },
    now: () => new Date('2026-11-21T06:00:00Z'),
  });

async function follow(activator: PolicyActivator, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    has = text;
    await activator.reloadIfChanged();
  }
}
const historyOf = (activator: PolicyActivator): readonly string[] =>
  activator
    .stored()
    .history.map((entry) => `${entry.trigger} ${entry.outcome} ${entry.revision?.[7] ?? '?'}`);

describe('the history', () => {
  it('lists the attempts, newest first, up to a maximum', async () => {
    const activator = await keep();
    await follow(activator, 'b!', 'unsigned', 'b');
    expect(historyOf(activator)).toEqual(['poll activated b', 'poll refused ?', 'poll refused b']);
    expect(activator.stored().history[2]).toEqual({
      revision: B,
      at: '2026-11-21T06:00:00.000Z',
      source: 'somewhere',
      trigger: 'poll',
      outcome: 'refused',
      reason: 'owners do not see',
      failing_case: 'owners see',
    });
  });
});

describe('trouble', () => {
  it('is that the newest was refused, until one is accepted', async () => {
    const activator = await keep();
    expect(activator.trouble()).toBeUndefined();
    await follow(activator, 'b!');
    expect(activator.trouble()).toEqual({ reason: 'owners do not see', failingCase: 'owners see' });
    expect(activator.current().revision).toBe(A);
    await follow(activator, 'a');
    expect(activator.trouble()).toBeUndefined();
  });

  it('is that the source is unavailable, and a refused bundle stays refused when it returns', async () => {
    const activator = await keep();
    await follow(activator, 'b!');
    has = new SourceAway('nobody there');
    await activator.reloadIfChanged();
    expect((await activator.reload()).outcome).toBe('away');
    expect(activator.trouble()?.reason).toBe('owners do not see');
    await follow(activator, 'b!');
    expect(activator.trouble()?.reason).toBe('owners do not see');
    await follow(activator, 'b');
    expect(activator.trouble()).toBeUndefined();
    has = new SourceAway('nobody there');
    await activator.reloadIfChanged();
    expect(activator.trouble()).toEqual({ reason: 'nobody there' });
    await follow(activator, 'b');
    expect(activator.trouble()).toBeUndefined();
  });
});

describe('a rollback', () => {
  it('stays whatever the source has, until an operator reloads', async () => {
    const activator = await keep();
    await follow(activator, 'b');
    expect(await activator.rollBack(A)).toEqual({ outcome: 'activated', revision: A });
    await follow(activator, 'c');
    expect([activator.current().revision, activator.stored().pinned]).toEqual([A, A]);
    expect(await activator.reload()).toEqual({ outcome: 'activated', revision: C });
    expect(activator.stored().pinned).toBeUndefined();
  });

  it('stays when a pushed bundle is refused', async () => {
    const activator = await keep();
    await follow(activator, 'b');
    await activator.rollBack(A);
    has = 'c!';
    expect((await activator.reload()).outcome).toBe('refused');
    expect([activator.current().revision, activator.stored().pinned]).toEqual([A, A]);
  });

  it('to the active revision pins it', async () => {
    const activator = await keep();
    expect(await activator.rollBack(A)).toEqual({ outcome: 'unchanged', revision: A });
    await follow(activator, 'b');
    expect(activator.current().revision).toBe(A);
  });

  it('to an unknown revision changes nothing', async () => {
    const activator = await keep();
    expect(await activator.rollBack(B)).toMatchObject({ outcome: 'unknown', revision: A });
    expect(activator.stored().pinned).toBeUndefined();
  });

  it('to an unreadable bundle is refused', async () => {
    const activator = await keep();
    await follow(activator, 'b');
    store.get = () => Promise.reject(new Error('corrupt'));
    expect(await activator.rollBack(A)).toEqual({
      outcome: 'refused',
      revision: B,
      reason: 'corrupt',
    });
  });

  it('ends the trouble with the bundle that it leaves', async () => {
    const activator = await keep();
    await follow(activator, 'b', 'c!');
    expect(activator.trouble()).toBeDefined();
    await activator.rollBack(A);
    expect(activator.trouble()).toBeUndefined();
  });

  it('is verified as any other: the stored bundle may have been changed', async () => {
    const activator = await keep();
    await follow(activator, 'b');
    await store.put(A, partsOf('x'));
    expect(await activator.rollBack(A)).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining(`the bundle of ${A} is ${revision('x')}`),
    });
    expect(activator.current().revision).toBe(B);
  });
});

describe('a restart', () => {
  /** Two processes after each other, with one directory. */
  const remembering = (): void => {
    const inner = store;
    let state = { history: [] } as Awaited<ReturnType<PolicyStore['load']>>;
    store = {
      ...inner,
      load: () => Promise.resolve(state),
      save: (next) => {
        state = next;
        return inner.save(next);
      },
    };
  };
  beforeEach(remembering);

  it('continues with the pinned policy', async () => {
    const first = await keep();
    await follow(first, 'b');
    await first.rollBack(A);
    const second = await keep();
    expect(second.current().revision).toBe(A);
    await second.reloadIfChanged();
    expect(second.current().revision).toBe(A);
  });

  it('adds nothing to the history when the policy is the same', async () => {
    await keep();
    expect(historyOf(await keep())).toEqual(['start activated a']);
  });

  it('fails when the bundle that was rolled back to is missing, and serves no other one instead', async () => {
    const first = await keep();
    await follow(first, 'b');
    await first.rollBack(A);
    store = { ...store, get: () => Promise.resolve(undefined) };
    await expect(keep()).rejects.toThrow(`the bundle of the pinned revision ${A} is missing`);
  });

  it.each([
    ['is away', new SourceAway('nobody there')],
    ['has a bad bundle', 'b!'],
  ])('continues with the last good policy when a remote source %s', async (_what, now) => {
    await keep();
    has = now;
    const second = await keep();
    expect(second.current().revision).toBe(A);
    expect(second.trouble()).toBeDefined();
    await follow(second, 'c');
    expect(second.current().revision).toBe(C);
    expect(second.trouble()).toBeUndefined();
  });

  it('fails when the files of this machine are bad', async () => {
    await keep();
    has = 'b!';
    await expect(keep({ isRemote: false })).rejects.toThrow('owners do not see');
  });
});
