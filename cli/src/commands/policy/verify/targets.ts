import { isJsonObject, type JsonObject, memberOf } from '@tenure/policy';
import { type Scope } from './vocabulary.js';

/** Relations of the caller's project to a target, the simplest first; `blank` has empty ids. */
export const RELATIONS = ['neither', 'unowned', 'owner', 'lessee', 'both', 'blank'] as const;
export type Relation = (typeof RELATIONS)[number];

/** Relations of unowned targets: an id that is null or empty. */
export const OF_NOBODY: readonly Relation[] = ['unowned', 'blank'];

/** The target of a question: a resource by its relation to the caller. */
export interface Target {
  readonly type: string;
  /** `none`: the type has no owner. */
  readonly relation: Relation | 'none';
  /** Of a runbook. */
  readonly public: boolean | undefined;
}

/** The project that owns the resources of others. */
export const OTHER_OWNER = 'other-owner';
const OTHER_LESSEE = 'other-lessee';

const FOR_PROJECTS: readonly Relation[] = RELATIONS;
const FOR_OTHERS: readonly Relation[] = ['neither', 'unowned', 'blank'];
const WITHOUT_LESSEE: readonly Relation[] = ['neither', 'unowned', 'owner', 'blank'];

/** Whether resources of this type belong to a node: they carry its owner and lessee, and are visible with it. */
export const isOnNode = (type: string, resources: JsonObject): boolean =>
  columnsOf(type, resources).includes('lessee');

/** Whether resources of this type have an owner. */
export const isOwned = (type: string, resources: JsonObject): boolean =>
  columnsOf(type, resources).length > 0;

/** Every target of a type that can make a difference to a caller of this scope. */
export function targetsOf(type: string, scope: Scope, resources: JsonObject): readonly Target[] {
  const columns = columnsOf(type, resources);
  if (columns.length === 0) return [{ type, relation: 'none', public: undefined }];
  const possible = scope.project === undefined ? FOR_OTHERS : FOR_PROJECTS;
  const relations = columns.includes('lessee')
    ? possible
    : possible.filter((relation) => WITHOUT_LESSEE.includes(relation));
  const publicities = type === 'runbook' ? [false, true] : [undefined];
  return relations.flatMap((relation) =>
    publicities.map((each) => ({ type, relation, public: each })),
  );
}

/** The resource of a question, with ids. */
export function resourceOf(target: Target, scope: Scope): JsonObject {
  const [owner, lessee] = ids(target.relation, scope.project ?? '');
  return {
    type: target.type,
    owner,
    lessee,
    tenancy_revision: 1,
    ...(target.public !== undefined && { public: target.public }),
  };
}

function columnsOf(type: string, resources: JsonObject): readonly string[] {
  const relations = memberOf(memberOf(resources, type), 'relations');
  return isJsonObject(relations) ? Object.keys(relations) : [];
}

function ids(relation: Target['relation'], own: string): readonly [unknown, unknown] {
  switch (relation) {
    case 'owner':
      return [own, OTHER_LESSEE];
    case 'lessee':
      return [OTHER_OWNER, own];
    case 'both':
      return [own, own];
    case 'neither':
      return [OTHER_OWNER, OTHER_LESSEE];
    case 'blank':
      return ['', ''];
    case 'unowned':
    case 'none':
      return [null, null];
  }
}
