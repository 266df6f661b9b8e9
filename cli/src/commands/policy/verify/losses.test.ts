import { describe, expect, it } from '@jest/globals';
import { type PolicyAnswer } from '@tenure/policy';
import { lossOf } from './losses.js';

const answer = (change: Partial<PolicyAnswer>): PolicyAnswer => ({
  allow: true,
  visible: true,
  reason: 'granted',
  grants: ['owner_reader'],
  denied: [],
  filter: { mode: 'none', predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
  ...change,
});

const own = (...masked: string[]): PolicyAnswer['filter'] => ({
  mode: 'any_of',
  predicates: [{ field: 'owner', op: 'eq', value: 'p', masked }],
});
const everything: PolicyAnswer['filter'] = { mode: 'all', predicates: [] };
const noRows: PolicyAnswer['filter'] = { mode: 'any_of', predicates: [] };
const masking = (...masked: string[]): Partial<PolicyAnswer> => ({
  fields: { masked, read_only: [] },
});

describe('what one answer takes away from another', () => {
  it.each([
    ['sight', {}, { allow: false, visible: false }, 'it is not visible, where it was'],
    ['permission', {}, { allow: false }, 'it is refused, where it was allowed'],
    ['a field', masking(), masking('extra'), 'extra is masked, where it was visible'],
    [
      'a field to write',
      {},
      { fields: { masked: [], read_only: ['extra'] } },
      'extra is read-only, where it was not',
    ],
  ])('is %s', (_what, before, after, text) => {
    expect(lossOf(answer(before), answer(after), false)).toBe(text);
  });

  it.each([
    [
      'all rows but its own',
      { filter: everything },
      { filter: own() },
      'the filter is any_of where it was all',
    ],
    ['rows of a predicate', { filter: own() }, { filter: noRows }, 'rows with owner p are lost'],
    [
      'a field of its rows',
      { filter: own() },
      { filter: own('extra') },
      'extra is masked, where it was visible',
    ],
    [
      'a field of every row',
      { filter: own() },
      { filter: everything, ...masking('extra') },
      'extra is masked, where it was visible',
    ],
  ])('is, of a list, %s', (_what, before, after, text) => {
    expect(lossOf(answer(before), answer(after), true)).toBe(text);
  });

  it.each([
    ['more rows', { filter: own('extra') }, { filter: everything }],
    ['rows with masks in place of none', {}, { filter: own('extra'), ...masking('extra') }],
    ['masks of a refusal', { allow: false }, { allow: false, ...masking('extra') }],
  ])('is not %s', (_what, before, after) => {
    expect(lossOf(answer(before), answer(after), true)).toBeUndefined();
  });
});
