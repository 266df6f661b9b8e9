import { describe, expect, it } from '@jest/globals';
import { makeNode, uuidOf } from '../testing/fixtures.js';
import { suits } from './candidates.js';

const UNTIL = '2026-11-21T10:00:00+00:00';

const machine = (fields: Readonly<Record<string, unknown>>) =>
  makeNode({ owner: 'p-owner', ...fields });

const demand = (mode: 'all' | 'any_of' | 'none', ...projects: string[]) => ({
  resource_class: null,
  traits: [],
  candidate_nodes: [],
  candidate_filter: {
    mode,
    predicates: projects.flatMap((value) =>
      (['owner', 'lessee'] as const).map((field) => ({ field, op: 'eq' as const, value })),
    ),
  },
});

const OF_OWNER = demand('any_of', 'p-owner');
const OF_LESSEE = demand('any_of', 'p-lessee');
const OF_SYSTEM = demand('all');

const matches = (node: ReturnType<typeof machine>): readonly string[] =>
  Object.entries({ owner: OF_OWNER, lessee: OF_LESSEE, system: OF_SYSTEM })
    .filter(([, one]) => suits(node, one))
    .map(([name]) => name);

describe('a node matches the allocations', () => {
  it.each([
    ['of owner and system, without a lease', {}, ['owner', 'system']],
    [
      'of all three, with a lessee that was set by hand',
      { lessee: 'p-lessee' },
      ['owner', 'lessee', 'system'],
    ],
    ['of none, with a lease to come', { lease_uuid: uuidOf(9) }, []],
    [
      'of none, with a lease to come and a lessee that was set by a deployment',
      { lease_uuid: uuidOf(9), lessee: 'p-lessee' },
      [],
    ],
    [
      'of the lessee alone, while a lease lasts',
      { lease_uuid: uuidOf(9), lessee: 'p-lessee', lessee_until: UNTIL, lease_end: UNTIL },
      ['lessee'],
    ],
    [
      'of none, while it is cleared after a lease',
      { lease_uuid: uuidOf(9), lessee: null, lessee_until: null, lease_end: UNTIL },
      [],
    ],
  ])('%s', (_what, fields, who) => {
    expect(matches(machine(fields))).toEqual(who);
  });
});
