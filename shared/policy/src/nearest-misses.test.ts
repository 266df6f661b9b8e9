import { describe, expect, it } from '@jest/globals';
import { type JsonObject, memberOf } from './json-object.js';
import { grantsOfRows, nearestMisses } from './nearest-misses.js';
import { type PolicyAnswer } from './policy-answer.js';

const answer = (...grants: readonly string[]): PolicyAnswer => ({
  allow: grants.length > 0,
  visible: true,
  reason: grants.length > 0 ? 'granted' : 'not_granted',
  grants: [...grants],
  denied: grants.length > 0 ? [] : ['act'],
  filter: { mode: 'none', predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
});

const COVERED_BY_MEMBER = ['member', 'manager', 'admin'];

/** A policy of a few lines: members of the system, of the owner, of the lessee; the creator; the requested owner. */
function small(question: JsonObject): PolicyAnswer {
  const subject = question['subject'];
  const resource = question['resource'];
  const roles = memberOf(subject, 'roles');
  const holds = (names: readonly string[]): boolean =>
    Array.isArray(roles) && names.some((name) => roles.includes(name));
  const project = memberOf(subject, 'project_id');
  const isProjectOf = (place: string): boolean =>
    typeof project === 'string' && memberOf(resource, place) === project;
  const made = memberOf(subject, 'user_id') === memberOf(resource, 'creator');
  const requested = memberOf(question['requested'], 'owner');
  if (typeof requested === 'string' && requested !== project) return answer();
  const member = holds(COVERED_BY_MEMBER);
  const matches = {
    system_member: member && memberOf(subject, 'system_scope') === 'all',
    owner_member: member && isProjectOf('owner'),
    lessee_manager: holds(['manager', 'admin']) && isProjectOf('lessee'),
    creator: holds(['reader']) && made,
  };
  return answer(...Object.entries(matches).flatMap(([name, is]) => (is ? [name] : [])));
}

const GRANTS = [
  { name: 'system_member', about: 'member on the system' },
  { name: 'owner_member', about: 'member in the project that owns the node' },
  { name: 'lessee_manager', about: 'manager in the project that leases the node' },
];

const ask = (subject: JsonObject, resource: JsonObject): JsonObject => ({
  action: 'act',
  subject: { user_id: 'ann', project_id: null, system_scope: null, domain_id: null, ...subject },
  resource: { type: 'node', owner: null, lessee: null, ...resource },
});

describe('nearestMisses', () => {
  it('names the role that is missing first, then the place that is further away', () => {
    const question = ask({ project_id: 'p1', roles: ['reader'] }, { owner: 'p1', lessee: 'p2' });
    expect(nearestMisses(small, question, GRANTS)).toEqual([
      {
        grant: 'owner_member',
        about: 'member in the project that owns the node',
        missing: [{ fact: 'role', has: ['reader'], needs: 'member' }],
      },
      {
        grant: 'system_member',
        about: 'member on the system',
        missing: [
          { fact: 'scope', has: 'project', needs: 'system' },
          { fact: 'role', has: ['reader'], needs: 'member' },
        ],
      },
      {
        grant: 'lessee_manager',
        about: 'manager in the project that leases the node',
        missing: [
          { fact: 'project', has: 'p1', needs: 'p2', of: 'lessee' },
          { fact: 'role', has: ['reader'], needs: 'manager' },
        ],
      },
    ]);
  });

  it('names the relation that the caller would need to a resource without owner and lessee', () => {
    const question = ask({ project_id: 'p1', roles: ['admin'] }, {});
    expect(nearestMisses(small, question, GRANTS).slice(1)).toMatchObject([
      { grant: 'owner_member', missing: [{ fact: 'owner', has: null, needs: 'p1' }] },
      { grant: 'lessee_manager', missing: [{ fact: 'lessee', has: null, needs: 'p1' }] },
    ]);
  });

  it('finds the creator, and another owner that was requested', () => {
    const creator = ask({ project_id: 'p1', roles: ['reader'] }, { creator: 'bob' });
    expect(nearestMisses(small, creator, [{ name: 'creator', about: '' }])).toEqual([
      {
        grant: 'creator',
        about: '',
        missing: [{ fact: 'user', has: 'ann', needs: 'bob', of: 'creator' }],
      },
    ]);
    const question = ask({ project_id: 'p1', roles: ['member'] }, { owner: 'p1' });
    const other = { ...question, requested: { owner: 'p9' } };
    expect(nearestMisses(small, other, GRANTS.slice(1, 2))).toMatchObject([
      { missing: [{ fact: 'requested_owner', has: 'p9', needs: 'p1' }] },
    ]);
  });

  it('counts a switch as a fact', () => {
    const open = { name: 'open_access', has: false, needs: true, ask: () => answer('everybody') };
    const grants = [{ name: 'everybody', about: '' }];
    expect(nearestMisses(small, ask({}, {}), grants, { switches: [open] })).toEqual([
      {
        grant: 'everybody',
        about: '',
        missing: [{ fact: 'open_access', has: false, needs: true }],
      },
    ]);
  });

  it('tries the projects that it is given', () => {
    const services = (question: JsonObject): PolicyAnswer =>
      memberOf(question['subject'], 'project_id') === 'svc' ? answer('service') : answer();
    const grants = [{ name: 'service', about: '' }];
    expect(nearestMisses(services, ask({}, {}), grants)).toEqual([]);
    expect(
      nearestMisses(services, ask({}, {}), grants, {
        projects: [{ label: 'svc', id: 'svc', claims: { project_id: 'svc' } }],
      }),
    ).toMatchObject([{ missing: [{ fact: 'project', has: null, needs: 'svc' }] }]);
  });

  it('leaves out grants that no change reaches, and has nothing to say of what is allowed', () => {
    const never = [{ name: 'never', about: '' }];
    expect(nearestMisses(small, ask({ roles: ['reader'] }, {}), never)).toEqual([]);
    const allowed = ask({ system_scope: 'all', roles: ['member'] }, {});
    expect(nearestMisses(small, allowed, GRANTS)).toEqual([]);
  });

  it('changes no question that it was given, whatever its shape', () => {
    const question = ask({ project_id: 'p1', roles: ['reader'] }, { owner: 'p1' });
    const before = JSON.stringify(question);
    nearestMisses(small, question, GRANTS);
    expect(JSON.stringify(question)).toBe(before);
    expect(nearestMisses(small, { action: 'act', subject: 5 }, GRANTS)).toMatchObject([
      { grant: 'system_member' },
      { grant: 'owner_member' },
      { grant: 'lessee_manager' },
    ]);
  });
});

describe('grantsOfRows', () => {
  it('gives the grants of the rows with their meaning, the deprecated last, each once', () => {
    const data = {
      tenure: {
        actions: {
          a: { grants: ['x', 'y'], legacy: ['old'] },
          b: { grants: ['y', 'z'] },
        },
        grants: { catalogue: { x: 'the x', y: 'the y', z: 'the z', old: 'deprecated' } },
      },
    };
    expect(grantsOfRows(data, ['a', 'b', 'constructor'])).toEqual([
      { name: 'x', about: 'the x' },
      { name: 'y', about: 'the y' },
      { name: 'z', about: 'the z' },
      { name: 'old', about: 'deprecated' },
    ]);
  });
});
