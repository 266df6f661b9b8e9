import { type JsonObject, type PolicyAnswer } from '@tenure/policy';
import { type Shortfall, shortfallOf } from '../verify/losses.js';

/** Which way an answer changed; `other` is neither: other grants, another reason. */
export type Direction = 'gained' | 'lost' | 'other';

/** A change of one answer. */
export interface Change {
  readonly direction: Direction;
  readonly kind: Shortfall['kind'] | 'wording';
  readonly of: string;
}

/** A question with different answers, in the form of the decision point. */
interface Example {
  readonly switches: JsonObject;
  readonly question: JsonObject;
  readonly old: PolicyAnswer;
  readonly new: PolicyAnswer;
}

/** Equal changes of callers that differ only in roles, relations and switches. */
export interface ChangeGroup {
  readonly direction: Direction;
  readonly action: string;
  readonly kind: Change['kind'];
  /** Names of the scopes. */
  readonly scopes: readonly string[];
  readonly relations: readonly string[];
  readonly types: readonly string[];
  /** Fields that were written, with the requested values. */
  readonly fields: readonly string[];
  readonly details: readonly string[];
  /** Grants by which it is, or was, allowed. */
  readonly grants: readonly string[];
  /** Indexes into ROLE_SETS. */
  readonly roles: readonly number[];
  /** Indexes into the settings of the model. */
  readonly settings: readonly number[];
  readonly questions: number;
  readonly example: Example;
}

type Sides = 'settings' | 'roles' | 'relations' | 'scopes';

/** The changes from the old to the new answer; empty when they are equal. */
export function changesOf(
  older: PolicyAnswer,
  newer: PolicyAnswer,
  isList: boolean,
): readonly Change[] {
  if (JSON.stringify(older) === JSON.stringify(newer)) return [];
  const gain = shortfallOf(newer, older, isList);
  const loss = shortfallOf(older, newer, isList);
  const changes: readonly Change[] = [
    ...(gain === undefined ? [] : [{ direction: 'gained', ...gain } as const]),
    ...(loss === undefined ? [] : [{ direction: 'lost', ...loss } as const]),
  ];
  return changes.length > 0 ? changes : [{ direction: 'other', kind: 'wording', of: '' }];
}

/** Joins groups that differ only in scope, relation, roles or settings. */
export const joined = (groups: readonly ChangeGroup[]): readonly ChangeGroup[] =>
  (['settings', 'roles', 'relations', 'scopes'] as const).reduce(joinedBy, groups);

/** Collects the changes of one setting; merges those that differ only in field, type or detail. */
export function createCollection(): {
  readonly add: (change: ChangeGroup) => void;
  readonly groups: () => readonly ChangeGroup[];
} {
  const found = new Map<string, ChangeGroup>();
  return {
    add: (change) => {
      const key = keyOf(change);
      const before = found.get(key);
      found.set(key, before === undefined ? change : mergedGroup(before, change));
    },
    groups: () => joined([...found.values()]),
  };
}

/** Joins groups that differ in one respect alone, so that a joined group covers exactly its members. */
function joinedBy(groups: readonly ChangeGroup[], side: Sides): readonly ChangeGroup[] {
  const found = new Map<string, ChangeGroup>();
  for (const group of groups) {
    const { direction, action, kind, scopes, relations, types, fields, details, roles, settings } =
      group;
    const same = { scopes, relations, roles, settings, [side]: null };
    const key = JSON.stringify([direction, action, kind, types, fields, details, same]);
    const before = found.get(key);
    found.set(key, before === undefined ? group : mergedGroup(before, group));
  }
  return [...found.values()];
}

const mergedGroup = (one: ChangeGroup, other: ChangeGroup): ChangeGroup => ({
  ...one,
  scopes: union(one.scopes, other.scopes),
  relations: union(one.relations, other.relations),
  types: union(one.types, other.types),
  fields: union(one.fields, other.fields),
  details: union(one.details, other.details),
  grants: union(one.grants, other.grants),
  roles: union(one.roles, other.roles).toSorted((a, b) => a - b),
  settings: union(one.settings, other.settings).toSorted((a, b) => a - b),
  questions: one.questions + other.questions,
});

const union = <Value>(one: readonly Value[], other: readonly Value[]): readonly Value[] => [
  ...new Set([...one, ...other]),
];

const keyOf = (group: ChangeGroup): string =>
  JSON.stringify([
    ...[group.direction, group.action, group.kind],
    ...[group.scopes, group.relations, group.roles, group.settings],
  ]);
