import { describe, expect, it } from '@jest/globals';
import { readPolicyFile } from './policy-file.js';

describe('a policy file', () => {
  it('is YAML with lines, comments and lists', () => {
    expect(
      readPolicyFile(
        '# head\n"a": "role:x"\n\nb:c: role:y # tail\nd: >\n  role:x\n  or @\ne: [[role:x, "@"], role:z]\n',
      ),
    ).toEqual({
      rules: [
        { name: 'a', line: 2, source: 'role:x' },
        { name: 'b:c', line: 4, source: 'role:y' },
        { name: 'd', line: 5, source: 'role:x or @\n' },
        { name: 'e', line: 8, source: [['role:x', '@'], 'role:z'] },
      ],
      problems: [],
      warnings: [],
    });
  });

  it('is JSON, too', () => {
    expect(readPolicyFile('{\n  "a": "",\n  "b": [[]]\n}').rules).toEqual([
      { name: 'a', line: 2, source: '' },
      { name: 'b', line: 3, source: [[]] },
    ]);
  });

  it('knows anchors', () => {
    expect(readPolicyFile('a: &it role:x\nb: *it\nc: [*it]\n').rules).toMatchObject([
      { source: 'role:x' },
      { source: 'role:x' },
      { source: ['role:x'] },
    ]);
  });

  it('without a check allows everybody, and says so', () => {
    expect(readPolicyFile('a:\n')).toEqual({
      rules: [{ name: 'a', line: 1, source: '' }],
      problems: [],
      warnings: [{ line: 1, rule: 'a', why: 'has no check, which means always; write "@" or "!"' }],
    });
  });

  it('with a name twice has the last one, and says so', () => {
    expect(readPolicyFile('a: role:x\nb: "@"\na: role:y\n')).toMatchObject({
      rules: [
        { name: 'a', line: 3, source: 'role:y' },
        { name: 'b', line: 2 },
      ],
      warnings: [{ line: 3, rule: 'a', why: 'replaces the one in line 1' }],
    });
  });

  it.each([['# nothing\n'], [''], ['{}\n']])('may be empty: %j', (text) => {
    expect(readPolicyFile(text)).toMatchObject({ rules: [], problems: [] });
  });

  it.each([
    ['a: "role:x', 1, 'not valid YAML'],
    ['a: role:x\nb: @\n', 2, 'not valid YAML'],
    ['- a\n', 1, 'must be an object'],
    ['a: "@"\n7: role:x\n', 2, 'the name of a rule must be text'],
    ['a: "@"\n\nb: yes\n', 3, 'must be a check string'],
    ['a: 12:30\n', 1, 'must be a check string'],
    ['a: {b: c}\n', 1, 'must be a check string'],
    ['a: [[[role:x]]]\n', 1, 'must be a check string'],
    ['a: [7]\n', 1, 'must be a check string'],
    ['a: !python role:x\n', 1, 'must be a check string'],
    ['a: !\n', 1, 'a bare ! is a tag of YAML'],
    [`a: "${'x'.repeat(32_769)}"\n`, 1, 'is longer than 32768 characters'],
  ])('is refused: %j', (text, line, why) => {
    const { problems } = readPolicyFile(text);
    expect(problems).toEqual([
      expect.objectContaining({ line, why: expect.stringContaining(why) }),
    ]);
  });
});
