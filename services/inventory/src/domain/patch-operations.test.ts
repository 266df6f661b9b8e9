import { describe, expect, it } from '@jest/globals';
import { createOwnCopies } from '@tenure/contracts';
import { parsePatch } from '../testing/node-patches.js';
import { patchedFields } from './patch-operations.js';

const members = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at)}`, at]));

function copiedBy(extra: unknown, operations: readonly unknown[]): number {
  const copies = createOwnCopies();
  patchedFields({ extra }, parsePatch(operations, 65), () => null, copies);
  return copies.copied;
}

const writes = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => ({
    op: 'add',
    path: `${prefix}/n${String(at)}`,
    value: at,
  }));

describe('what a patch of many operations costs', () => {
  it('is one copy of what it changes, whatever the number of operations', () => {
    expect(copiedBy(members(5000), writes(1, '/extra'))).toBe(5000);
    expect(copiedBy(members(5000), writes(1000, '/extra'))).toBe(5000);
    // The deep object, and the one that it is in.
    expect(copiedBy({ deep: members(5000) }, writes(1000, '/extra/deep'))).toBe(5001);
  });

  it('doubles with the members, and does not grow with the removals', () => {
    const removals = Array.from({ length: 500 }, (_, at) => ({
      op: 'remove',
      path: `/extra/k${String(at)}`,
    }));
    expect(copiedBy(members(2000), removals)).toBe(2000);
    expect(copiedBy(members(4000), removals)).toBe(4000);
  });

  it('is one copy of a list, and of a value that an earlier operation wrote', () => {
    const appended = Array.from({ length: 1000 }, () => ({
      op: 'add',
      path: '/extra/list/-',
      value: 1,
    }));
    expect(copiedBy({ list: [1, 2, 3] }, appended)).toBe(4);
    const written = [{ op: 'add', path: '/extra/deep', value: members(100) }];
    expect(copiedBy({}, [...written, ...writes(900, '/extra/deep')])).toBe(100);
  });
});

describe('a patch', () => {
  it('changes neither the record nor the values of its operations', () => {
    const record = { extra: { a: { b: [1] }, kept: { x: 1 } } };
    const operations = parsePatch(
      [
        { op: 'add', path: '/extra/new', value: { list: [] } },
        { op: 'add', path: '/extra/new/list/-', value: 'x' },
        { op: 'replace', path: '/extra/a/b/0', value: 2 },
        { op: 'remove', path: '/extra/kept/x' },
      ],
      65,
    );
    const after = { a: { b: [2] }, kept: {}, new: { list: ['x'] } };
    expect(patchedFields(record, operations, () => null).get('extra')).toEqual(after);
    expect(record).toEqual({ extra: { a: { b: [1] }, kept: { x: 1 } } });
    // Applied again, as after a lost race, it does the same.
    expect(patchedFields(record, operations, () => null).get('extra')).toEqual(after);
  });

  it('keeps the order of members', () => {
    const operations = parsePatch(
      [
        { op: 'replace', path: '/extra/b', value: 9 },
        { op: 'remove', path: '/extra/a' },
        { op: 'add', path: '/extra/a', value: 8 },
      ],
      65,
    );
    const { extra } = Object.fromEntries(
      patchedFields({ extra: { a: 1, b: 2, c: 3 } }, operations, () => null),
    );
    expect(JSON.stringify(extra)).toBe('{"b":9,"c":3,"a":8}');
  });
});
