import { describe, expect, it } from '@jest/globals';
import { createOwnCopies } from '@tenure/contracts';
import { applyAllocationPatch, readAllocationPatch } from './allocation-patch.js';

const patched = (extra: Record<string, unknown>, ...operations: unknown[]) =>
  applyAllocationPatch({ name: 'a', extra }, readAllocationPatch(operations));

const members = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at)}`, at]));

describe('a patch of an allocation', () => {
  it('applies its operations in order', () => {
    expect(
      patched(
        { a: { b: 1 } },
        { op: 'replace', path: '/name', value: 'n' },
        { op: 'add', path: '/extra/new', value: {} },
        { op: 'add', path: '/extra/new/x', value: null },
        { op: 'remove', path: '/extra/a/b' },
      ),
    ).toEqual({ name: 'n', extra: { a: {}, new: { x: null } } });
    expect(patched({ a: 1 }, { op: 'remove', path: '/extra' })).toEqual({ name: 'a', extra: {} });
  });

  it.each([
    [{ op: 'replace', path: '/extra/x', value: 1 }, 'Cannot replace /extra/x: there is no such'],
    [{ op: 'add', path: '/extra/x/y', value: 1 }, 'Cannot add /extra/x/y: there is no such member'],
    [{ op: 'add', path: '/extra/l/0', value: 1 }, 'the path does not lead into an object'],
    [{ op: 'add', path: '/extra/__proto__', value: 1 }, 'the path is not usable'],
    [{ op: 'add', path: '/extra/y' }, 'a value is required'],
  ])('refuses %j', (operation, text) => {
    expect(() => patched({ l: [1] }, operation)).toThrow(text);
  });

  it('changes neither the allocation nor its own values', () => {
    const extra = { a: { b: 1 } };
    const patch = readAllocationPatch([
      { op: 'add', path: '/extra/new', value: {} },
      { op: 'add', path: '/extra/new/x', value: 1 },
      { op: 'remove', path: '/extra/a/b' },
    ]);
    const [once, again] = [1, 2].map(() => applyAllocationPatch({ name: null, extra }, patch));
    expect(once).toEqual(again);
    expect(extra).toEqual({ a: { b: 1 } });
  });

  it('copies what it changes once, whatever the number of operations', () => {
    const copiedBy = (count: number, operations: number): number => {
      const copies = createOwnCopies();
      const patch = Array.from({ length: operations }, (_, at) => ({
        op: 'add',
        path: `/extra/n${String(at)}`,
        value: at,
      }));
      const current = { name: null, extra: members(count) };
      applyAllocationPatch(current, readAllocationPatch(patch), copies);
      return copies.copied;
    };
    expect([copiedBy(2000, 1), copiedBy(2000, 1000), copiedBy(4000, 1000)]).toEqual([
      2000, 2000, 4000,
    ]);
  });
});
