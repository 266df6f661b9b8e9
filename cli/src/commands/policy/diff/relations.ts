import { isJsonObject, type JsonObject, memberOf } from '@tenure/policy';
import { type Scope } from '../verify/vocabulary.js';
import { projectOf } from './callers.js';

/** Who stands in a place of a thing; `blank` is an empty text. */
type Holder = 'own' | 'other' | 'nobody' | 'blank';

/** A thing as a caller meets it. A place that things of its type do not have is undefined. */
export interface Met {
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

const PLACE_TEXTS: Readonly<Record<Holder, (place: string) => string>> = {
  own: (place) => `it ${place}`,
  other: (place) => `another ${place}`,
  nobody: (place) => `nobody ${place}`,
  blank: (place) => `"" ${place}`,
};

/** Every thing of a type that a caller of this scope can meet: who owns, leases and made it, and whether it is public. */
export function targetsFor(type: string, scope: Scope, resources: JsonObject): readonly Met[] {
  const holders =
    projectOf(scope) === undefined ? HOLDERS.filter((each) => each !== 'own') : HOLDERS;
  const owners = isPlace(type, 'owner', resources) ? holders : [undefined];
  const lessees = isPlace(type, 'lessee', resources) ? holders : [undefined];
  const creators = memberOf(memberOf(resources, type), 'creator') === true ? HOLDERS : [undefined];
  const publicities = type === 'runbook' ? [false, true] : [undefined];
  const met = product(product(owners, lessees), product(creators, publicities)).map(
    ([[owner, lessee], [creator, isPublic]]): Met => ({
      type,
      owner,
      lessee,
      creator,
      public: isPublic,
    }),
  );
  const [first] = met;
  // Empty texts are tried in every place at once: one of them says nothing that null does not.
  return first?.owner === undefined
    ? met
    : [...met, { ...first, owner: 'blank', lessee: first.lessee && 'blank' }];
}

/** The resource of a question. */
export const resourceMet = (met: Met, scope: Scope): JsonObject => ({
  type: met.type,
  owner: idOf(met.owner, projectOf(scope), OTHER_PROJECT),
  lessee: idOf(met.lessee, projectOf(scope), OTHER_LESSEE),
  ...(met.creator !== undefined && { creator: idOf(met.creator, USER, OTHER_USER) }),
  ...(met.public !== undefined && { public: met.public }),
  tenancy_revision: 1,
});

/** How the caller stands to it, in words; empty for what belongs to nobody in principle. */
export const relationText = ({ owner, lessee, creator, public: isPublic }: Met): string =>
  [
    owner && PLACE_TEXTS[owner]('owns'),
    lessee && PLACE_TEXTS[lessee]('leases'),
    creator && PLACE_TEXTS[creator]('made'),
    isPublic === true ? 'public' : undefined,
  ]
    .filter((text) => text !== undefined)
    .join(', ');

function isPlace(type: string, column: string, resources: JsonObject): boolean {
  const places = memberOf(memberOf(resources, type), 'places');
  return isJsonObject(places) && Object.hasOwn(places, column);
}

const product = <One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): readonly (readonly [One, Other])[] =>
  ones.flatMap((one) => others.map((other) => [one, other] as const));

function idOf(stand: Holder | undefined, own: string | undefined, other: string): string | null {
  if (stand === 'blank') return '';
  if (stand === 'other') return other;
  return stand === 'own' ? (own ?? null) : null;
}
