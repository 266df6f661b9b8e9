import { describe, expect, it } from '@jest/globals';
import { type Condition, type Obligations } from '@tenure/contracts';
import { makeNode, uuidOf } from '../testing/fixtures.js';
import { assertConditions } from './conditions.js';

const under = (masked: string[], ...conditions: Condition[]): Obligations => ({
  filter: { mode: 'none', predicates: [] },
  fields: { masked, read_only: [] },
  set: {},
  conditions,
});
const unless = (field: string, value: string): Condition => ({
  field,
  op: 'ne',
  value,
  action: 'baremetal:node:x',
});
const node = makeNode({
  uuid: uuidOf(1),
  provision_state: 'active',
  protected: true,
  extra: {},
});
const check = (obligations: Obligations) => () => {
  assertConditions(node, obligations, 'change owner of node');
};

describe('conditions of a decision', () => {
  it.each([
    [unless('provision_state', 'available')],
    [unless('fault', 'power failure')],
    [unless('maintenance', 'true')],
  ])('that hold let the write through (%j)', (condition) => {
    expect(check(under([], condition))).not.toThrow();
  });

  it('may be none', () => {
    const { filter, fields, set } = under([]);
    expect(check({ filter, fields, set })).not.toThrow();
  });

  it.each([
    [unless('provision_state', 'active'), ' while its provision_state is active'],
    [unless('protected', 'true'), ' while its protected is true'],
    [unless('no_such_field', 'active'), ', because it has no no_such_field to judge by'],
    [unless('extra', 'active'), ', because it has no extra to judge by'],
    [unless('toString', 'active'), ', because it has no toString to judge by'],
  ])('that do not hold, or cannot be judged, refuse it (%j)', (condition, why) => {
    expect(check(under([], unless('fault', 'x'), condition))).toThrow(
      `Cannot change owner of node ${uuidOf(1)}${why}; baremetal:node:x is required.`,
    );
  });

  it('do not reveal the value of a masked field', () => {
    expect(check(under(['provision_state'], unless('provision_state', 'active')))).toThrow(
      `Cannot change owner of node ${uuidOf(1)}; baremetal:node:x is required.`,
    );
  });
});
