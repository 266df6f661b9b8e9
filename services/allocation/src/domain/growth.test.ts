import { describe, expect, it } from '@jest/globals';
import { createOwnCopies } from '@tenure/contracts';
import { growthOf, growthOfReads, listOf, membersNamed, N_LOG_N } from '@tenure/contracts/testing';
import { applyAllocationPatch, readAllocationPatch } from './allocation-patch.js';
import { readAllocationRequest } from './allocation-request.js';

const name = (at: number): string => `m${String(at)}`;
const writes = (size: number) =>
  listOf(size, (at) => ({ op: 'add' as const, path: `/extra/k${String(at)}`, value: at }));

describe('the steps of work on an allocation grow no faster than n log n', () => {
  it.each([
    {
      what: 'with the operations of a patch',
      work: <T>(counted: (value: T) => T, size: number) =>
        readAllocationPatch(counted(writes(size) as T)),
      options: { from: 60 },
    },
    {
      what: 'with candidate nodes',
      work: <T>(counted: (value: T) => T, size: number) =>
        readAllocationRequest(
          counted({ resource_class: 'a', candidate_nodes: listOf(size, name) } as T),
          91,
        ),
      options: { from: 60 },
    },
    {
      what: 'with the members of extra',
      work: <T>(counted: (value: T) => T, size: number) =>
        readAllocationRequest(
          counted({ resource_class: 'a', extra: membersNamed(size, name) } as T),
          91,
        ),
    },
  ])('$what', ({ work, options }) => {
    expect(growthOfReads(work, options)).toBeLessThanOrEqual(N_LOG_N);
  });

  it('with operations and members together: each member is copied once', () => {
    const copied = growthOf((size) => {
      const copies = createOwnCopies();
      const extra = membersNamed(size, name);
      applyAllocationPatch({ name: null, extra }, writes(Math.min(size, 1000)) as never, copies);
      return copies.copied;
    });
    expect(copied).toBeLessThanOrEqual(N_LOG_N);
  });

  it('and the patched value stays bounded', () => {
    const add = (value: string) => readAllocationPatch([{ op: 'add', path: '/extra/more', value }]);
    const full = { name: null, extra: { a: 'x'.repeat(131_000) } };
    expect(applyAllocationPatch(full, add('x')).extra).toMatchObject({ more: 'x' });
    expect(() => applyAllocationPatch(full, add('x'.repeat(100)))).toThrow(
      'extra is larger than 131072 bytes.',
    );
    const shrink = readAllocationPatch([{ op: 'remove', path: '/extra/b' }]);
    const larger = { name: null, extra: { a: 'x'.repeat(200_000), b: 1 } };
    expect(Object.keys(applyAllocationPatch(larger, shrink).extra)).toEqual(['a']);
  });
});
