import { describe, expect, it } from '@jest/globals';
import { meaningOf } from './term.js';

function meaning(check: string): ReturnType<typeof meaningOf> {
  const colon = check.indexOf(':');
  return meaningOf({ is: 'check', kind: check.slice(0, colon), match: check.slice(colon + 1) });
}

describe('a check', () => {
  it.each([
    ['rule:a:b', { is: 'rule', name: 'a:b' }],
    ['role:Admin', { is: 'role', role: [{ text: 'Admin' }] }],
    ['role:%(node.owner)s', { is: 'role', role: [{ key: 'node.owner' }] }],
    [
      'tenant:%(node.lessee)s',
      { is: 'caller', attribute: 'project_id', text: [{ key: 'node.lessee' }] },
    ],
    ['user:u1', { is: 'caller', attribute: 'user_id', text: [{ text: 'u1' }] }],
    [
      'token.project.domain.id:d',
      { is: 'caller', attribute: 'project_domain_id', text: [{ text: 'd' }] },
    ],
    ['token.system.all:True', { is: 'caller', attribute: 'system_scope', text: [{ text: 'all' }] }],
    ['system_scope:all', { is: 'caller', attribute: 'system_scope', text: [{ text: 'all' }] }],
    [
      'is_admin_project:True',
      { is: 'caller', attribute: 'is_admin_project', text: [{ text: 'True' }] },
    ],
    ["'p1':%(node.owner)s", { is: 'literal', literal: 'p1', text: [{ key: 'node.owner' }] }],
    [
      'None:%(runbook.owner)s',
      { is: 'literal', literal: 'None', text: [{ key: 'runbook.owner' }] },
    ],
    ['-7:%(node.owner)s', { is: 'literal', literal: '-7', text: [{ key: 'node.owner' }] }],
    [
      'project_id:x%%-%(node.owner)s-y',
      {
        is: 'caller',
        attribute: 'project_id',
        text: [{ text: 'x%-' }, { key: 'node.owner' }, { text: '-y' }],
      },
    ],
    ["'a':a", { is: 'always' }],
    ['"a":b', { is: 'never' }],
    ['True:True', { is: 'always' }],
    ['system:None', { is: 'never' }],
    ['token.project.id:None', { is: 'never' }],
  ])('%s has a meaning', (check, term) => {
    expect(meaning(check)).toEqual({ term, notes: [] });
  });

  it.each([
    ['http://example.test/', 'asks a remote server'],
    ['https:example', 'asks a remote server'],
    ['colour:blue', 'unknown kind "colour"'],
    ['Role:admin', 'unknown kind "Role"'],
    ['user_domain_id:d', 'unknown kind "user_domain_id"'],
    ["'a\\':x", 'unknown kind'],
    ['007:x', 'unknown kind "007"'],
    [':x', 'unknown kind ""'],
    ['project_id:%(node.uuid)s', '%(node.uuid)s is not supported as a target attribute'],
    ['project_id:100%', 'neither %(name)s nor %%'],
    ['project_id:%(node.owner)d', 'neither %(name)s nor %%'],
    ['role:%s', 'neither %(name)s nor %%'],
  ])('%s is refused', (check, why) => {
    expect(() => meaning(check)).toThrow(why);
  });

  it('of the caller with itself is carried over, with a note', () => {
    expect(meaning('project_id:%(project_id)s')).toEqual({
      term: { is: 'caller', attribute: 'project_id', text: [{ key: 'project_id' }] },
      notes: ["%(project_id)s is the caller's own project_id, not the machine's"],
    });
  });

  it('of is_admin never matches, with a note', () => {
    expect(meaning('is_admin:True')).toEqual({
      term: { is: 'never' },
      notes: ['is_admin:True never matches: no caller carries it'],
    });
  });
});
