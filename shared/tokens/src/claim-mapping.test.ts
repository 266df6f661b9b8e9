import { describe, expect, it } from '@jest/globals';
import { type ClaimMapping, mappedIdentity } from './claim-mapping.js';

const NOW = 1_800_000_000;
const MAPPING: ClaimMapping = {
  user_id: '/preferred_username',
  roles: '/realm_access/roles',
  role_names: { 'bm-users': ['member'], 'bm-admins': ['admin', 'service'] },
  project_id: '/https:~1~1example.org~1tenant',
  system_scope: { claim: '/groups', value: 'fleet' },
};
const CLAIMS = {
  iat: NOW - 10,
  exp: NOW + 600,
  sub: 'x-1',
  preferred_username: 'olga',
  realm_access: { roles: ['bm-users', 'offline_access'] },
  'https://example.org/tenant': 'p1',
  groups: ['people'],
};
function subjectOf(changes: object, mapping = MAPPING): unknown {
  try {
    return mappedIdentity(mapping)({ ...CLAIMS, ...changes }, NOW).subject;
  } catch (error) {
    return typeof error === 'object' && error !== null && 'status' in error ? error.status : error;
  }
}
const OLGA = {
  user_id: 'olga',
  roles: ['member'],
  project_id: 'p1',
  system_scope: null,
  domain_id: null,
};

describe('the claims of an outside issuer', () => {
  it('are read by the mapping, and values that it does not name are no roles', () => {
    expect(subjectOf({})).toEqual(OLGA);
  });

  it('give system scope to a token with the value for it, and then no project', () => {
    expect(subjectOf({ groups: ['people', 'fleet'] })).toEqual({
      ...OLGA,
      project_id: null,
      system_scope: 'all',
    });
    expect(subjectOf({ groups: 'fleet' })).toMatchObject({ system_scope: 'all' });
  });

  it('give no roles and no scope where the claims are missing', () => {
    expect(subjectOf({ realm_access: undefined, 'https://example.org/tenant': undefined })).toEqual(
      {
        ...OLGA,
        roles: [],
        project_id: null,
      },
    );
  });

  it('are the roles themselves when the mapping names none', () => {
    expect(subjectOf({}, { roles: '/realm_access/roles' })).toMatchObject({
      user_id: 'x-1',
      roles: ['bm-users', 'offline_access'],
      project_id: null,
    });
  });

  it.each([
    ['no user', { preferred_username: undefined }],
    ['a user that is no string', { preferred_username: 7 }],
    ['a user with a control character', { preferred_username: 'ol\u001bga' }],
    ['a project with a blank after it', { 'https://example.org/tenant': 'p1 ' }],
    ['roles that are no strings', { realm_access: { roles: [1] } }],
    ['a project that is a list', { 'https://example.org/tenant': ['p1'] }],
    ['an end in the past', { exp: NOW }],
    ['no end', { exp: undefined }],
    ['a role by the name of a member that every object has', { realm_access: { roles: [{}] } }],
  ])('are refused with %s', (_what, changes) => {
    expect(subjectOf(changes)).toBe(401);
  });

  it('do not find what every object has', () => {
    expect(subjectOf({}, { roles: '/constructor/name' })).toMatchObject({ roles: [] });
    expect(subjectOf({ realm_access: { roles: ['constructor'] } })).toMatchObject({ roles: [] });
  });
});
