import { isId, isJsonObject, type JsonObject, memberOf } from './json-object.js';
import { type NamedProject } from './service-project.js';

/** A fact of a question that would have to be another. */
export interface MissingFact {
  /** Name of the fact: `role`, `scope`, `project`, `user`, `owner`, …, or the name of a switch. */
  readonly fact: string;
  /** The value in the question; null when there is none. */
  readonly has: unknown;
  /** The value that would be needed. */
  readonly needs: unknown;
  /** The member of the resource that contains the needed id: `owner`, `lessee` or `creator`. */
  readonly of?: string;
}

/** A question with one fact changed. */
interface ChangedQuestion {
  readonly question: JsonObject;
  readonly missing: MissingFact;
}

/** Changes one fact of a question; undefined where there is nothing to change. */
export type Change = (question: JsonObject) => ChangedQuestion | undefined;

/** The weakest first: of two roles that would do, the weaker is the smaller change. */
const ROLES = [
  ...['reader', 'member', 'manager', 'admin', 'service'],
  ...['baremetal_observer', 'baremetal_admin'],
];

/** The project for callers without scope: it differs from all others. */
const ANY_PROJECT = 'any-project';

/** Claims about the project of a token; they are removed when the project is changed. */
const OF_PROJECT: readonly string[] = ['project_name', 'project_domain_id', 'is_admin_project'];

/**
 * The facts of a caller or a resource that can be changed, one list for each fact. At most one change of a list is made. Later
 * lists get the question as earlier ones changed it.
 * @param projects projects worth trying besides those of the resource, such as the one of the services
 */
export const factsOf = (projects: readonly NamedProject[]): readonly (readonly Change[])[] => [
  [
    onSystem,
    inProjectAt('owner'),
    inProjectAt('lessee'),
    inAnyProject,
    ...projects.map(inNamedProject),
  ],
  ROLES.map(holdsRole),
  [isCreator],
  [hasRelation('owner')],
  [hasRelation('lessee')],
  [ownsWhatItAsks],
  [isPublic],
  [inAdminProject],
];

const onSystem: Change = (question) =>
  scopeOf(question) === 'system'
    ? undefined
    : {
        question: scoped(question, { system_scope: 'all' }),
        missing: { fact: 'scope', has: scopeOf(question), needs: 'system' },
      };

const inProjectAt =
  (place: string): Change =>
  (question) =>
    inProject(partOf(question, 'resource')[place], place)(question);

const inAnyProject: Change = (question) =>
  scopeOf(question) === 'project'
    ? undefined
    : {
        question: scoped(question, { project_id: ANY_PROJECT }),
        missing: { fact: 'scope', has: scopeOf(question), needs: 'project' },
      };

const inNamedProject =
  ({ label, id, claims }: NamedProject): Change =>
  (question) => {
    const subject = partOf(question, 'subject');
    if (Object.entries(claims).every(([name, value]) => subject[name] === value)) return undefined;
    const has = subject['project_name'] ?? given(subject['project_id']);
    return {
      question: scoped(question, claims),
      missing: { fact: label === id ? 'project' : 'project_name', has, needs: label },
    };
  };

const holdsRole =
  (role: string): Change =>
  (question) => {
    const roles = rolesOf(question);
    if (roles.some((value) => typeof value === 'string' && value.toLowerCase() === role))
      return undefined;
    const subject = { ...partOf(question, 'subject'), roles: [...roles, role] };
    return {
      question: { ...question, subject },
      missing: { fact: 'role', has: roles, needs: role },
    };
  };

const isCreator: Change = (question) => {
  const subject = partOf(question, 'subject');
  const { creator } = partOf(question, 'resource');
  if (!isId(creator) || subject['user_id'] === creator) return undefined;
  return {
    question: { ...question, subject: { ...subject, user_id: creator } },
    missing: { fact: 'user', has: given(subject['user_id']), needs: creator, of: 'creator' },
  };
};

/** Makes the caller's project the owner or lessee of a resource that has none. */
const hasRelation =
  (place: string): Change =>
  (question) => {
    const resource = partOf(question, 'resource');
    const { project_id: project } = partOf(question, 'subject');
    if (isId(resource[place]) || !isId(project)) return undefined;
    return {
      question: { ...question, resource: { ...resource, [place]: project } },
      missing: { fact: place, has: given(resource[place]), needs: project },
    };
  };

/** Asks for the caller's own project as the owner. */
const ownsWhatItAsks: Change = (question) => {
  const requested = partOf(question, 'requested');
  const { project_id: project } = partOf(question, 'subject');
  const { owner } = requested;
  if (!isId(project) || !isId(owner) || owner === project) return undefined;
  return {
    question: { ...question, requested: { ...requested, owner: project } },
    missing: { fact: 'requested_owner', has: owner, needs: project },
  };
};

const isPublic: Change = (question) => {
  const resource = partOf(question, 'resource');
  if (resource['public'] !== false) return undefined;
  return {
    question: { ...question, resource: { ...resource, public: true } },
    missing: { fact: 'public', has: false, needs: true },
  };
};

const inAdminProject: Change = (question) => {
  const subject = partOf(question, 'subject');
  if (subject['is_admin_project'] === true) return undefined;
  return {
    question: { ...question, subject: { ...subject, is_admin_project: true } },
    missing: { fact: 'is_admin_project', has: given(subject['is_admin_project']), needs: true },
  };
};

function scopeOf(question: JsonObject): string {
  const subject = partOf(question, 'subject');
  if (isId(subject['system_scope'])) return 'system';
  if (isId(subject['project_id'])) return 'project';
  return isId(subject['domain_id']) ? 'domain' : 'none';
}

function scoped(question: JsonObject, claims: JsonObject): JsonObject {
  const bare = { system_scope: null, project_id: null, domain_id: null };
  const kept = Object.entries(partOf(question, 'subject')).filter(
    ([name]) => !OF_PROJECT.includes(name),
  );
  return { ...question, subject: { ...Object.fromEntries(kept), ...bare, ...claims } };
}

function partOf(question: JsonObject, name: string): JsonObject {
  const part = memberOf(question, name);
  return isJsonObject(part) ? part : {};
}

const inProject =
  (project: unknown, of?: string): Change =>
  (question) => {
    const has = given(partOf(question, 'subject')['project_id']);
    if (!isId(project) || (has === project && scopeOf(question) === 'project')) return undefined;
    return {
      question: scoped(question, { project_id: project }),
      missing: { fact: 'project', has, needs: project, ...(of !== undefined && { of }) },
    };
  };

const given = (value: unknown): unknown => value ?? null;

function rolesOf(question: JsonObject): readonly unknown[] {
  const roles = memberOf(partOf(question, 'subject'), 'roles');
  return Array.isArray(roles) ? roles : [];
}
