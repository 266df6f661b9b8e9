import { Type } from '@sinclair/typebox';
import { api, BadRequestError, matches, parse } from '@tenure/contracts';
import { type Access, type NamedResource } from '../application/decisions/access.js';
import { type Negotiated } from '../dialects/dialect.js';
import { MAX_IDENT_LENGTH } from '../routes/path-params.js';
import { type Query } from '../routes/query.js';
import { type LoadedResource, type Route } from '../routes/route.js';

/** The parts of a request that may name a resource. */
export interface Naming {
  readonly params: ReadonlyMap<string, string>;
  readonly query: Query;
  /** The body; undefined when it is empty. */
  readonly json: unknown;
}

const Member = Type.Union([Type.String({ maxLength: MAX_IDENT_LENGTH }), Type.Null()]);

/**
 * The resources that a request names, for the questions to the policy.
 * @throws BadRequestError when the query names none, or two, or the one in the body is no uuid
 */
export const namedResources = (
  { resource, within }: Pick<Route, 'resource' | 'within'>,
  naming: Naming,
): Pick<Access, 'resource' | 'within'> => ({
  resource: namedBy(resource, naming),
  within:
    within === undefined
      ? null
      : { action: within.action, resource: namedBy(within.resource, naming) },
});

/**
 * Refuses an ident that is no uuid where the route accepts only uuids, before any look-up.
 * @throws BadRequestError
 */
export function checkIdent(
  { uuid }: Pick<Route, 'uuid'>,
  params: ReadonlyMap<string, string>,
  { minor }: Pick<Negotiated, 'minor'>,
): void {
  if (uuid === undefined || (uuid.below !== undefined && minor >= uuid.below)) return;
  checkUuid(params.get(uuid.param) ?? '');
}

function namedBy(resource: LoadedResource | null, naming: Naming): NamedResource | null {
  if (resource === null) return null;
  const { type, loads, from } = resource;
  const ident = identIn(resource, naming);
  const isValid = ident !== '' && ident.length <= MAX_IDENT_LENGTH && ident.isWellFormed();
  return { type, loads, sent: ident, ident, isValid, mayBeMissing: 'member' in from };
}

function identIn({ from }: LoadedResource, { params, query, json }: Naming): string {
  if ('param' in from) return params.get(from.param) ?? '';
  return 'query' in from ? inQuery(query, from.query) : inBody(json, from.member);
}

/** The one of the keys that the query has; empty counts as absent. */
function inQuery(query: Query, names: readonly string[]): string {
  const given = names
    .map((key) => query.get(key))
    .filter((value) => value !== undefined && value !== '');
  const [ident, ...others] = given;
  if (ident === undefined || others.length > 0)
    throw new BadRequestError(
      `Exactly one of these query parameters is needed: ${names.join(', ')}.`,
    );
  return ident;
}

/** The uuid in a member of the body; empty when there is none. */
function inBody(json: unknown, member: string): string {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, member)) return '';
  const ident = parse(Member, Reflect.get(json, member), member);
  if (ident === null) return '';
  checkUuid(ident);
  return ident;
}

/** @throws BadRequestError when the text is no uuid */
function checkUuid(ident: string): void {
  const isUuid: boolean = matches(api.Uuid, ident);
  if (!isUuid) throw new BadRequestError(`Expected a UUID but received ${ident}.`);
}
