import { isJsonObject, type JsonObject, memberOf } from '@tenure/policy';
import { type Scope } from '../verify/vocabulary.js';
import { projectOf } from './callers.js';

/** The owner, lessee or creator of a resource, seen from the caller; `blank` is an empty id. */
type Holder = 'own' | 'other' | 'nobody' | 'blank';

/** A resource by its relation to the caller. An attribute that resources of its type do not have is undefined. */
export interface Target {
  readonly type: string;
  readonly owner: Holder | undefined;
  readonly lessee: Holder | undefined;
  readonly creator: Holder | undefined;
  readonly public: boolean | undefined;
}

const USER = 'user';
export const OTHER_PROJECT = 'other-project';
const OTHER_LESSEE = 'other-lessee';
const OTHER_USER = 'other-user';

const HOLDERS: readonly Holder[] = ['other', 'nobody', 'own'];

const HOLDER_TEXTS: Readonly<Record<Holder, (place: string) => string>> = {
  own: (place) => `it ${place}`,
  other: (place) => `another ${place}`,
  nobody: (place) => `nobody ${place}`,
  blank: (place) => `"" ${place}`,
};

/** Every target of a type for callers of this scope: all combinations of owner, lessee, creator and public. */
export function targetsFor(type: string, scope: Scope, resources: JsonObject): readonly Target[] {
  const holders =
    projectOf(scope) === undefined ? HOLDERS.filter((each) => each !== 'own') : HOLDERS;
  const owners = isPlace(type, 'owner', resources) ? holders : [undefined];
  const lessees = isPlace(type, 'lessee', resources) ? holders : [undefined];
  const creators = memberOf(memberOf(resources, type), 'creator') === true ? HOLDERS : [undefined];
  const publicities = type === 'runbook' ? [false, true] : [undefined];
  const targets = product(product(owners, lessees), product(creators, publicities)).map(
    ([[owner, lessee], [creator, isPublic]]): Target => ({
      type,
      owner,
      lessee,
      creator,
      public: isPublic,
    }),
  );
  const [first] = targets;
  // Empty ids are tried in all attributes at once: a single one adds no case that null does not have.
  return first?.owner === undefined
    ? targets
    : [...targets, { ...first, owner: 'blank', lessee: first.lessee && 'blank' }];
}

/** The resource of a question. */
export const resourceOfTarget = (target: Target, scope: Scope): JsonObject => ({
  type: target.type,
  owner: idOf(target.owner, projectOf(scope), OTHER_PROJECT),
  lessee: idOf(target.lessee, projectOf(scope), OTHER_LESSEE),
  ...(target.creator !== undefined && { creator: idOf(target.creator, USER, OTHER_USER) }),
  ...(target.public !== undefined && { public: target.public }),
  tenancy_revision: 1,
});

/** The relation of the caller to the target as a text; empty for types without an owner. */
export const relationText = ({ owner, lessee, creator, public: isPublic }: Target): string =>
  [
    owner && HOLDER_TEXTS[owner]('owns'),
    lessee && HOLDER_TEXTS[lessee]('leases'),
    creator && HOLDER_TEXTS[creator]('made'),
    isPublic === true ? 'public' : undefined,
  ]
    .filter((text) => text !== undefined)
    .join(', ');

function isPlace(type: string, column: string, resources: JsonObject): boolean {
  const relations = memberOf(memberOf(resources, type), 'relations');
  return isJsonObject(relations) && Object.hasOwn(relations, column);
}

const product = <One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): readonly (readonly [One, Other])[] =>
  ones.flatMap((one) => others.map((other) => [one, other] as const));

function idOf(holder: Holder | undefined, own: string | undefined, other: string): string | null {
  if (holder === 'blank') return '';
  if (holder === 'other') return other;
  return holder === 'own' ? (own ?? null) : null;
}
