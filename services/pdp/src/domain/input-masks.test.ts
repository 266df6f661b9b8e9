import { describe, expect, it } from '@jest/globals';
import { inputMasks } from './input-masks.js';

const logged = {
  input: { action: 'a', subject: { user_id: 'ann', roles: ['admin', 'reader'] }, fields: [] },
  erased: ['/input/x'],
  masked: [],
};

describe('masks for the decision log', () => {
  it('leaves out what a pointer names, and says so', () => {
    const mask = inputMasks(['/input/subject/user_id', { op: 'remove', path: '/input/fields' }]);
    expect(mask(logged)).toEqual({
      input: { action: 'a', subject: { roles: ['admin', 'reader'] } },
      erased: ['/input/x', '/input/subject/user_id', '/input/fields'],
      masked: [],
    });
  });

  it('puts another value in its place, in lists too, and says so', () => {
    const mask = inputMasks([
      { op: 'upsert', path: '/input/subject/user_id', value: 'somebody' },
      { op: 'upsert', path: '/input/subject/roles/1', value: '?' },
    ]);
    expect(mask(logged)).toEqual({
      input: { action: 'a', subject: { user_id: 'somebody', roles: ['admin', '?'] }, fields: [] },
      erased: ['/input/x'],
      masked: ['/input/subject/user_id', '/input/subject/roles/1'],
    });
  });

  it('ignores members that are missing', () => {
    const mask = inputMasks(['/input/subject/project_id', '/input/fields/0', '/input/now/x']);
    expect(mask(logged)).toEqual(logged);
  });

  it.each([
    [['/result/allow']],
    [['input/action']],
    [['/input']],
    [[{ op: 'replace', path: '/input/action' }]],
    ['/input/action'],
  ])('refuses %j', (rules) => {
    expect(() => inputMasks(rules)).toThrow(/mask/u);
  });
});
