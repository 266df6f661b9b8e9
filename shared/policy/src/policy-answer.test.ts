import { describe, expect, it } from '@jest/globals';
import { Decision, matches } from '@tenure/contracts';
import { hasAnswerShape, isBatchAnswer, isPolicyAnswer } from './policy-answer.js';

const denial = {
  allow: false,
  visible: true,
  reason: 'not_granted',
  grants: [],
  denied: ['baremetal:node:delete'],
  filter: { mode: 'none', predicates: [] },
  fields: { masked: ['driver_info'], read_only: [] },
  set: {},
};
const permission = {
  ...denial,
  allow: true,
  reason: 'granted',
  grants: ['owner_member'],
  denied: [],
  filter: {
    mode: 'any_of',
    predicates: [{ field: 'owner', op: 'eq', value: 'p', masked: ['extra'] }],
  },
  set: { owner: 'p' },
};

const condition = {
  field: 'provision_state',
  op: 'ne',
  value: 'active',
  action: 'baremetal:node:update_owner_provisioned',
};

const malformed: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['true', true],
  ['an empty list', []],
  ['deprecated grants that are text', { ...permission, deprecated: 'legacy_admin' }],
  ['a bare allow', { allow: true }],
  ['allow as text', { ...permission, allow: 'true' }],
  ['allow as a number', { ...permission, allow: 1 }],
  ['no visible', { ...permission, visible: undefined }],
  ['a reason that is a list', { ...permission, reason: ['granted'] }],
  ['grants that are text', { ...permission, grants: 'owner_member' }],
  ['grants that hold a number', { ...permission, grants: [1] }],
  ['an unknown filter mode', { ...permission, filter: { mode: 'some', predicates: [] } }],
  ['no predicates', { ...permission, filter: { mode: 'any_of' } }],
  [
    'a predicate without a value',
    { ...permission, filter: { mode: 'any_of', predicates: [{ field: 'owner', op: 'eq' }] } },
  ],
  [
    'a predicate on an empty value',
    {
      ...permission,
      filter: { mode: 'any_of', predicates: [{ field: 'owner', op: 'eq', value: '' }] },
    },
  ],
  [
    'a predicate of another operator',
    {
      ...permission,
      filter: { mode: 'any_of', predicates: [{ field: 'owner', op: 'ne', value: 'p' }] },
    },
  ],
  ['no masked list', { ...permission, fields: { read_only: [] } }],
  ['a null set', { ...permission, set: null }],
  ['a condition without an action', { ...permission, conditions: [{ ...condition, action: '' }] }],
  ['a condition of another operator', { ...permission, conditions: [{ ...condition, op: 'eq' }] }],
  ['conditions that are no list', { ...permission, conditions: condition }],
  ['an owner to set that is null', { ...permission, set: { owner: null } }],
];

describe('isPolicyAnswer', () => {
  it.each([
    ['a denial', denial],
    ['a permission', permission],
    ['a permission with a condition', { ...permission, conditions: [condition] }],
  ])('takes %s, as the contract does', (_what, answer) => {
    expect(isPolicyAnswer(answer)).toBe(true);
    expect(matches(Decision, { ...answer, revision: 'sha256:0' })).toBe(true);
  });

  it.each(malformed)('refuses %s, as the contract does', (_what, answer) => {
    expect(isPolicyAnswer(answer)).toBe(false);
    const stamped =
      typeof answer === 'object' && answer !== null ? { ...answer, revision: 'sha256:0' } : answer;
    expect(matches(Decision, stamped)).toBe(false);
  });

  it.each([
    ['is not visible', { ...permission, visible: false }],
    ['nothing granted', { ...permission, grants: [] }],
    ['names a refused action', { ...permission, denied: ['baremetal:node:delete'] }],
  ])('refuses an allow that %s', (_what, answer) => {
    expect(isPolicyAnswer(answer)).toBe(false);
  });
});

describe('deprecated grants', () => {
  it('are a part that an answer may have', () => {
    const answer = { ...permission, deprecated: ['legacy_admin'] };
    expect(isPolicyAnswer(answer)).toBe(true);
    expect(matches(Decision, { ...answer, revision: 'sha256:x' })).toBe(true);
  });
});

describe('hasAnswerShape', () => {
  it('takes an answer that contradicts itself, which is no decision', () => {
    const contradiction = { ...permission, visible: false };
    expect(hasAnswerShape(contradiction)).toBe(true);
    expect(isPolicyAnswer(contradiction)).toBe(false);
    expect(hasAnswerShape({ allow: true })).toBe(false);
  });
});

describe('isBatchAnswer', () => {
  it('takes decisions by action, also none', () => {
    expect(isBatchAnswer({ 'baremetal:node:get': permission })).toBe(true);
    expect(isBatchAnswer({})).toBe(true);
  });

  it('refuses a batch with one odd answer in it', () => {
    expect(isBatchAnswer({ a: permission, b: { allow: true } })).toBe(false);
    expect(isBatchAnswer([permission])).toBe(false);
  });
});
