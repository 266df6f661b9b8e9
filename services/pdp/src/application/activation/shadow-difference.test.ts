import { describe, expect, it } from '@jest/globals';
import { differencesOf } from './shadow-difference.js';

const input = { action: 'a:b' };
const yes = { allow: true, visible: true, grants: ['g'] };
const no = { allow: false, visible: true, grants: [] };
const hidden = { allow: false, visible: false, grants: [] };

describe('differencesOf', () => {
  it.each([
    ['newly_allowed', no, yes],
    ['newly_denied', yes, no],
    ['newly_denied', yes, hidden],
    ['newly_visible', hidden, no],
    ['newly_hidden', no, hidden],
    ['otherwise', yes, { ...yes, grants: ['h'] }],
  ])('is %s from %j to %j', (difference, live, shadow) => {
    expect(differencesOf('decision', input, [live, shadow])).toEqual([
      { action: 'a:b', difference },
    ]);
  });

  it('is nothing when both say the same, in whatever order of members', () => {
    const other = { grants: ['g'], visible: true, allow: true };
    expect(differencesOf('decision', input, [yes, other])).toEqual([]);
  });

  it('is reported for each action of a batch', () => {
    const live = { 'a:b': yes, 'a:c': no, 'a:d': no };
    const shadow = { 'a:b': yes, 'a:c': yes, 'a:d': hidden };
    expect(differencesOf('batch', {}, [live, shadow])).toEqual([
      { action: 'a:c', difference: 'newly_allowed' },
      { action: 'a:d', difference: 'newly_hidden' },
    ]);
  });
});
