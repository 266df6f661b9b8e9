import { describe, expect, it } from '@jest/globals';
import { checkGolden, type GoldenDecision, parseGolden } from './golden.js';

const golden: GoldenDecision = {
  name: 'owners see',
  input: { action: 'a:b' },
  expect: { allow: true, visible: true, grants: ['x', 'y'] },
};
const answer = { allow: true, visible: true, grants: ['y', 'x'] };

describe('parseGolden', () => {
  it('reads decisions with what is expected of them', () => {
    expect(parseGolden(JSON.stringify([golden]))).toEqual([golden]);
  });

  it.each([
    ['not JSON', '[', 'is not valid JSON'],
    ['empty: a file that checks nothing', '[]', 'is not a list of decisions'],
    ['without a name', '[{"input": {"action": "a"}, "expect": {"allow": true}}]', 'is not a list'],
    [
      'without what is expected',
      '[{"name": "n", "input": {"action": "a"}, "expect": {}}]',
      'is not',
    ],
    [
      'a misspelt member',
      '[{"name": "n", "input": {"action": "a"}, "expect": {"allow": true, "grant": []}}]',
      'is not',
    ],
  ])('refuses what is %s', (_what, text, message) => {
    expect(() => parseGolden(text)).toThrow(message);
  });
});

describe('checkGolden', () => {
  it('takes an answer that is as expected, its grants in any order', () => {
    expect(() => {
      checkGolden(golden, answer);
    }).not.toThrow();
  });

  it('does not mind what nobody said anything about', () => {
    expect(() => {
      checkGolden(
        { ...golden, expect: { allow: true } },
        { ...answer, visible: false, grants: [] },
      );
    }).not.toThrow();
  });

  it.each([
    [{ allow: false }, 'allow is false'],
    [{ visible: false }, 'visible is false'],
    [{ grants: ['x'] }, 'the grants are [x]'],
    [{ grants: ['x', 'y', 'z'] }, 'the grants are [x, y, z]'],
  ])('names the decision when the answer has %j', (change, message) => {
    expect(() => {
      checkGolden(golden, { ...answer, ...change });
    }).toThrow(
      expect.objectContaining({
        failingCase: 'owners see',
        message: `the golden decision "owners see" does not hold: ${message}`,
      }),
    );
  });
});
