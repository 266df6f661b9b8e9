import { describe, expect, it } from '@jest/globals';
import { parseInvariants, runSelfTest, warmUpQuestions } from './self-test.js';

const denial = {
  allow: false,
  visible: false,
  reason: 'not_visible',
  grants: [],
  denied: [],
  filter: { mode: 'none', predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
};
const permission = { ...denial, allow: true, visible: true, grants: ['g'] };
const invariants = [
  { name: 'nothing is denied', expect: { allow: false } },
  {
    name: 'strangers do not see',
    input: { action: 'baremetal:node:get' },
    expect: { allow: false, visible: false },
  },
];
const always = (single: unknown, batch: unknown) => (entrypoint: 'decision' | 'batch') =>
  entrypoint === 'decision' ? single : batch;

describe('runSelfTest', () => {
  it('passes a policy that answers as expected', () => {
    expect(() => {
      runSelfTest(always(denial, { 'baremetal:node:get': denial }), invariants);
    }).not.toThrow();
  });

  it.each([
    ['allows', permission, {}, '"nothing is denied": allow is true'],
    ['shows', { ...denial, visible: true }, {}, '"strangers do not see": visible is true'],
    ['gives no decision', { allow: false }, {}, 'the answer is not a decision'],
    [
      'answers a batch differently',
      denial,
      { 'baremetal:node:get': permission },
      'the batch answers differently',
    ],
    ['leaves a batch unanswered', denial, {}, 'the batch answers differently'],
  ])('refuses a policy that %s', (_what, single, batch, message) => {
    expect(() => {
      runSelfTest(always(single, batch), invariants);
    }).toThrow(message);
  });
});

describe('parseInvariants', () => {
  it.each([undefined, {}, [], [{}], [{ name: 'x', expect: {} }]])('refuses %j', (parsed) => {
    expect(() => parseInvariants(parsed)).toThrow('not a list of invariants');
  });
});

describe('warmUpQuestions', () => {
  it('asks about every action at least once, and often enough', () => {
    const questions = warmUpQuestions(['a', 'b'], invariants, 5);
    expect(questions.map((question) => JSON.stringify(question))).toEqual([
      '{"action":"a"}',
      '{"action":"b"}',
      '{"action":"a"}',
      '{"action":"b"}',
      '{"action":"a"}',
    ]);
  });
});
