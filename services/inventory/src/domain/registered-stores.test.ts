import { describe, expect, it } from '@jest/globals';
import { doubtOn, EMBEDDED, type FoundStore, mongodbPlace } from './registered-stores.js';

const mine = { identity: '5b0c5f0a-8a52-4d1c-9d52-6b7f5a1d0001', marker: 40 };
const other = { identity: '5b0c5f0a-8a52-4d1c-9d52-6b7f5a1d0002', marker: 90 };
const mongo = mongodbPlace('tenure');

const fresh: FoundStore = {
  place: EMBEDDED,
  mark: undefined,
  isEmpty: true,
  registered: {},
  hasDecisions: false,
};
const full: FoundStore = { ...fresh, isEmpty: false, mark: mine };

describe('a store at the start of the inventory', () => {
  it('is used when it is empty and the data directory has no history', () => {
    expect(doubtOn(fresh)).toBeUndefined();
    expect(doubtOn({ ...fresh, place: mongo })).toBeUndefined();
  });

  it('is lost when it is empty and the data directory remembers it', () => {
    expect(doubtOn({ ...fresh, registered: { [EMBEDDED]: mine } })).toBe('lost');
    expect(doubtOn({ ...fresh, place: mongo, registered: { [mongo]: mine } })).toBe('lost');
  });

  it('is lost when the embedded one is empty and decisions were recorded', () => {
    expect(doubtOn({ ...fresh, hasDecisions: true })).toBe('lost');
  });

  it('is elsewhere when the embedded one is empty and the data directory remembers a MongoDB', () => {
    expect(doubtOn({ ...fresh, registered: { [mongo]: mine } })).toBe('elsewhere');
  });

  it('is used when it is a new MongoDB of a data directory that had another store', () => {
    const moved = { ...fresh, place: mongo, registered: { [EMBEDDED]: mine }, hasDecisions: true };
    expect(doubtOn(moved)).toBeUndefined();
  });

  it('is used when it has data and nothing is remembered, as after an upgrade', () => {
    expect(doubtOn({ ...full, mark: undefined, hasDecisions: true })).toBeUndefined();
    expect(doubtOn(full)).toBeUndefined();
  });

  it('is used when its marker is the one remembered, or above', () => {
    expect(doubtOn({ ...full, registered: { [EMBEDDED]: mine } })).toBeUndefined();
    expect(
      doubtOn({ ...full, registered: { [EMBEDDED]: { ...mine, marker: 39 } } }),
    ).toBeUndefined();
  });

  it('is an older one when its marker is below the one remembered, or it has none', () => {
    const registered = { [EMBEDDED]: { ...mine, marker: 41 } };
    expect(doubtOn({ ...full, registered })).toBe('older');
    expect(doubtOn({ ...full, mark: undefined, registered })).toBe('older');
  });

  it('is another one when its identity is another, whatever the markers', () => {
    expect(doubtOn({ ...full, registered: { [EMBEDDED]: other } })).toBe('other');
    expect(doubtOn({ ...full, mark: other, registered: { [EMBEDDED]: mine } })).toBe('other');
  });
});
