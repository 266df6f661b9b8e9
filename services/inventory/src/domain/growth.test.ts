import { describe, expect, it } from '@jest/globals';
import {
  createOwnCopies,
  hiddenMarkIn,
  type NodeRecord,
  NODE_CATALOGUE,
  repeatedIn,
  withoutSecrets,
} from '@tenure/contracts';
import { growthOf, growthOfReads, listOf, membersNamed, N_LOG_N } from '@tenure/contracts/testing';
import { membersOf } from '../http/query-members.js';
import { nodeView } from '../http/views/node-view.js';
import { makeNode } from '../testing/fixtures.js';
import { applyPatch, parsePatch } from '../testing/node-patches.js';
import { NODE } from './kinds/node.js';
import { assertSecretsStay } from './moved-secrets.js';
import { patchedFields } from './patch-operations.js';
import { maskedInRow } from './visibility.js';

const many = (size: number): readonly number[] => listOf(size, (at) => at);
const nested = (depth: number, innermost: unknown = 1): unknown =>
  many(depth).reduce<unknown>((inner) => ({ a: inner }), innermost);

type Work = (counted: <T>(value: T) => T, size: number) => unknown;
type Options = Parameters<typeof growthOf>[1];
type Case = [what: string, work: Work, options?: Options];

/** For inputs of at most 1,000 items. */
const SMALL: Options = { from: 60 };

const writes = (size: number, path = '/extra') =>
  many(size).map((at) => ({ op: 'add', path: `${path}/k${String(at)}`, value: at }));

describe('the steps of work on a client’s input grow no faster than n log n', () => {
  const cases: readonly Case[] = [
    ['operations of a patch', (counted, size) => parsePatch(counted(writes(size)), 109), SMALL],
    [
      'operations on an object of as many members',
      (counted, size) =>
        applyPatch(
          counted(makeNode({ extra: membersNamed(size, (at) => `m${String(at)}`) })),
          parsePatch(writes(Math.min(size, 1000)), 109),
        ),
    ],
    [
      'members of an object that is written',
      (counted, size) =>
        NODE.checkedValue('extra', counted(membersNamed(size, (at) => `k${String(at)}`))),
    ],
    [
      'items of a list in an object that is written',
      (counted, size) => NODE.checkedValue('extra', counted({ list: many(size) })),
    ],
    [
      'traits of a list',
      (counted, size) => {
        const traits = many(Math.min(size, 50)).map((at) => `CUSTOM_${String(at)}`);
        return NODE.checkedValue('traits', counted(traits));
      },
    ],
    [
      'nesting of a value',
      (counted, size) => [
        hiddenMarkIn('extra', counted(nested(size))),
        withoutSecrets('driver_info', counted(nested(size))),
        NODE.checkedValue('extra', counted(nested(size))),
      ],
    ],
    [
      'members that may hold a secret',
      (counted, size) => {
        const value = counted(membersNamed(size, (at) => `k${String(at)}_password`, 'x'));
        return [hiddenMarkIn('driver_info', value), withoutSecrets('driver_info', value)];
      },
    ],
    [
      'addresses that a patch of driver_info names beside secrets',
      (counted, size) => {
        const names = (at: number) => `d${String(at)}_address`;
        const before = makeNode({
          driver_info: {
            ...membersNamed(size, (at) => `p${String(at)}_password`, 'x'),
            ...membersNamed(size, names, 'http://a'),
          },
        });
        const driver_info = { ...before.driver_info, ...membersNamed(size, names, 'http://b') };
        const after: NodeRecord = { ...before, driver_info };
        assertSecretsStay(counted(before), counted(after), []);
      },
    ],
    [
      'members of a node in a view',
      (counted, size) => {
        const node = counted(
          makeNode({
            driver_info: membersNamed(size, (at) => `k${String(at)}`),
            extra: { list: many(size) },
          }),
        );
        return nodeView(node, { base: '', minor: 109, masked: new Set(), conductor: null });
      },
    ],
    [
      'steps of a deploy template',
      (counted, size) => {
        const names = counted(many(size).map((at) => `deploy.s${String(at)}`));
        return repeatedIn(names);
      },
    ],
    [
      'projects of the policy’s filter that a row is compared with',
      (counted, size) =>
        maskedInRow(
          { owner: 'p-0' },
          counted({
            filter: {
              mode: 'any_of' as const,
              predicates: many(size).map((at) => ({
                field: 'owner',
                op: 'eq' as const,
                value: `p-${String(at)}`,
                masked: ['extra'],
              })),
            },
            fields: { masked: [], read_only: [] },
            set: {},
          }),
        ),
    ],
  ];
  it.each(cases.map(([what, work, options]) => ({ what, work, options })))(
    '$what',
    ({ work, options }) => {
      expect(growthOfReads(work, options)).toBeLessThanOrEqual(N_LOG_N);
    },
  );

  it('copies of members: as many as members, whatever the number of operations', () => {
    const copied = growthOf((size) => {
      let members = 0;
      const copies = createOwnCopies();
      patchedFields(
        { extra: membersNamed(size, (at) => `m${String(at)}`) },
        parsePatch(writes(Math.min(size, 1000)), 109),
        () => null,
        {
          ...copies,
          members: (value) => {
            const copy = copies.members(value);
            members += copy === value ? 0 : Object.keys(value).length;
            return copy;
          },
        },
      );
      return members;
    });
    expect(copied).toBeLessThanOrEqual(N_LOG_N);
  });

  it('list elements that operations shift: a bounded number', () => {
    const inserts = (size: number) =>
      parsePatch(
        many(size).map((at) => ({ op: 'add', path: '/extra/list/0', value: at })),
        109,
      );
    const node = (size: number) => makeNode({ extra: { list: many(size) } });
    expect(applyPatch(node(900), inserts(900)).extra).toMatchObject({ list: { length: 1800 } });
    expect(() => applyPatch(node(20_000), inserts(900))).toThrow(
      'too many list elements would move',
    );
    const last = many(1000).map(() => ({ op: 'add', path: '/extra/list/-', value: 1 }));
    expect(applyPatch(node(20_000), parsePatch(last, 109)).extra).toMatchObject({
      list: { length: 21_000 },
    });
  });

  it('a field: at most the limit for requests, and never larger than before', () => {
    const stored = makeNode({ extra: { old: 'x'.repeat(200_000) } });
    const patch = (value: string) => parsePatch([{ op: 'add', path: '/extra/fresh', value }], 109);
    expect(() => applyPatch(makeNode(), patch('x'.repeat(130_000)))).not.toThrow();
    expect(() => patch('x'.repeat(131_100))).toThrow('extra is larger than 131072 bytes.');
    expect(() => applyPatch(stored, patch('x'))).toThrow('extra is larger than 131072 bytes.');
    const smaller = parsePatch([{ op: 'replace', path: '/extra/old', value: 'x' }], 109);
    expect(applyPatch(stored, smaller).extra).toEqual({ old: 'x' });
  });

  it('a configuration drive in instance_info: up to the limit for storage', () => {
    const patch = [{ op: 'add', path: '/instance_info/configdrive', value: 'A'.repeat(400_000) }];
    expect(() => applyPatch(makeNode(), parsePatch(patch, 109))).not.toThrow();
  });

  it('a path: refused beyond the maximum depth', () => {
    const deep = [{ op: 'add', path: `/extra${'/a'.repeat(61)}`, value: 1 }];
    expect(() => parsePatch(deep, 109)).toThrow('Cannot patch');
  });

  it('names of fields: each is looked up once, however often it occurs', () => {
    const lookups = growthOf((size) => {
      let count = 0;
      const names = many(size).map((at) => NODE_CATALOGUE.members[at % 8] ?? '');
      membersOf(names.join(','), 109, (name) => {
        count += 1;
        return NODE_CATALOGUE.sinceOf(name);
      });
      return count;
    });
    expect(lookups).toBe(0);
  });
});

describe('the measure itself', () => {
  it('detects quadratic growth', () => {
    const quadratic = growthOfReads((counted, size) => {
      const keys = counted(many(size));
      return many(size).map((at) => keys.find((key) => key === size - at));
    });
    expect(quadratic).toBeGreaterThan(1.8);
  });
});
