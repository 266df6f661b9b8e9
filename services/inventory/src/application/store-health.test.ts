import { describe, expect, it } from '@jest/globals';
import {
  type AppError,
  ConflictError,
  InsufficientStorageError,
  UnavailableError,
} from '@tenure/contracts';
import { BrokenStoreError } from '../ports/store-trouble.js';
import { createStoreHealth } from './store-health.js';

const full = new InsufficientStorageError('The store is full.');
const locked = new UnavailableError('The store is locked by another process; please retry.');
const moved = new BrokenStoreError('The file of the store was renamed.');

/** A store whose writes and inspections fail on demand. */
function watched() {
  const state = {
    now: 0,
    writes: 0,
    onWrite: undefined as AppError | undefined,
    onInspect: undefined as AppError | undefined,
  };
  const changes: (string | undefined)[] = [];
  const health = createStoreHealth({
    store: {
      inspect: async () => {
        if (state.onInspect !== undefined) throw state.onInspect;
        return Promise.resolve(1000);
      },
      marks: {
        read: () => Promise.resolve(undefined),
        advance: async () => {
          state.writes += 1;
          if (state.onWrite !== undefined) throw state.onWrite;
          return Promise.resolve({ identity: 'i', marker: state.writes });
        },
      },
    },
    onChange: (trouble) => changes.push(trouble?.message),
    clock: () => state.now,
  });
  return { state, health, changes };
}

describe('the health of a store', () => {
  it('is proven by a write, and after that by the writes of requests', async () => {
    const { state, health, changes } = watched();
    expect(await health.check()).toBeUndefined();
    expect([state.writes, health.freeBytes()]).toEqual([1, 1000]);
    state.now = 4999;
    health.wrote();
    state.now = 9998;
    await health.check();
    expect(state.writes).toBe(1);
    state.now = 9999;
    await health.check();
    expect([state.writes, changes]).toEqual([2, []]);
  });

  it('is bad from the write that failed until one succeeds, tried once a second', async () => {
    const { state, health, changes } = watched();
    health.failed(full);
    state.onWrite = full;
    expect(await health.check()).toBe(full);
    state.now = 999;
    expect(await health.check()).toBe(full);
    expect(state.writes).toBe(1);
    state.onWrite = undefined;
    state.now = 1000;
    expect(await health.check()).toBeUndefined();
    expect([state.writes, changes]).toEqual([2, ['The store is full.', undefined]]);
  });

  it('says each reason once', async () => {
    const { state, health, changes } = watched();
    state.onWrite = locked;
    for (state.now = 0; state.now < 5000; state.now += 1000) await health.check();
    state.onWrite = full;
    await health.check();
    expect(changes).toEqual([locked.message, full.message]);
  });

  it('is bad when the inspection fails, without a write', async () => {
    const { state, health } = watched();
    state.onInspect = full;
    expect(await health.check()).toBe(full);
    expect(state.writes).toBe(0);
  });

  it('stays bad when the store is broken, whatever succeeds later', async () => {
    const { state, health, changes } = watched();
    health.failed(moved);
    health.wrote();
    state.now = 10_000;
    expect(await health.check()).toBe(moved);
    expect(changes).toEqual([moved.message]);
  });

  it('does not depend on errors that speak of the request or of the code', () => {
    const { health } = watched();
    health.failed(new ConflictError('duplicate', 'There is one.'));
    health.failed(new TypeError('a mistake'));
    expect(health.trouble()).toBeUndefined();
  });

  it('is looked at once for several that ask together', async () => {
    const { state, health } = watched();
    await Promise.all([health.check(), health.check(), health.check()]);
    expect(state.writes).toBe(1);
  });
});
