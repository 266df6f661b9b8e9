import { describe, expect, it } from '@jest/globals';
import { fieldOf } from '@tenure/contracts';
import { makeNode } from '../testing/fixtures.js';
import { applyPatch, parsePatch } from '../testing/node-patches.js';

const LATEST = 65;
const apply = (extra: unknown, ...operations: unknown[]): unknown =>
  applyPatch(makeNode({ extra }), parsePatch(operations, LATEST)).extra;

describe('patches of an object field', () => {
  it.each([
    [{}, { op: 'add', path: '/extra/a', value: 1 }, { a: 1 }],
    [{ a: 1 }, { op: 'add', path: '/extra/a', value: { b: 2 } }, { a: { b: 2 } }],
    [{ a: { b: 1 } }, { op: 'replace', path: '/extra/a/b', value: null }, { a: { b: null } }],
    [{ a: [1, 3] }, { op: 'add', path: '/extra/a/1', value: 2 }, { a: [1, 2, 3] }],
    [{ a: [1, 2] }, { op: 'add', path: '/extra/a/2', value: 3 }, { a: [1, 2, 3] }],
    [{ a: [1, 2] }, { op: 'remove', path: '/extra/a/0' }, { a: [2] }],
    [{ '': 1, '~/': 2 }, { op: 'remove', path: '/extra/~0~1' }, { '': 1 }],
    [{ a: 1 }, { op: 'remove', path: '/extra' }, {}],
    [{ a: 1 }, { op: 'replace', path: '/extra', value: { b: 1 } }, { b: 1 }],
    [{}, { op: 'add', path: '/extra/constructor', value: 1 }, { constructor: 1 }],
  ])('%j with %j is %j', (before, operation, after) => {
    expect(apply(before, operation)).toEqual(after);
  });

  it.each([
    [{}, { op: 'replace', path: '/extra/a', value: 1 }],
    [{}, { op: 'remove', path: '/extra/a' }],
    [{}, { op: 'remove', path: '/extra/constructor/name' }],
    [{ a: [1] }, { op: 'add', path: '/extra/a/3', value: 1 }],
    [{ a: [1] }, { op: 'replace', path: '/extra/a/-', value: 1 }],
    [{ a: [1] }, { op: 'replace', path: '/extra/a/01', value: 1 }],
    [{ a: 'text' }, { op: 'add', path: '/extra/a/0', value: 1 }],
    [{}, { op: 'replace', path: '/extra', value: 'text' }],
    [{}, { op: 'add', path: '/extra/a~2', value: 1 }],
  ])('%j refuses %j', (before, operation) => {
    expect(() => apply(before, operation)).toThrow();
  });

  it('leave the stored node as it was', () => {
    const node = makeNode({ extra: { a: { b: [1] } } });
    applyPatch(node, parsePatch([{ op: 'add', path: '/extra/a/b/-', value: 2 }], LATEST));
    expect(node.extra).toEqual({ a: { b: [1] } });
  });
});

describe('patches of plain fields', () => {
  it.each([
    ['maintenance', true, false],
    ['automated_clean', false, null],
    ['conductor_group', 'x', ''],
    ['owner', 'p-a', null],
    ['description', 'd', null],
  ])('removing %s resets %j to %j', (field, before, after) => {
    const node = makeNode({ [field]: before });
    expect(
      fieldOf(applyPatch(node, parsePatch([{ op: 'remove', path: `/${field}` }], LATEST)), field),
    ).toBe(after);
  });

  it('are applied in order', () => {
    const operations = [
      { op: 'add', path: '/extra', value: { a: 1 } },
      { op: 'replace', path: '/extra/a', value: 2 },
    ];
    expect(apply({}, ...operations)).toEqual({ a: 2 });
  });
});
