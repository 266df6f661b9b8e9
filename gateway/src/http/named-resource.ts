import { BadRequestError } from '@tenure/contracts';
import { type NamedResource } from '../decisions/authorizer.js';
import { type LoadedResource, type Route } from '../routes/route-table.js';
import { type Query } from '../strict-http/query.js';

const MAX_IDENT_LENGTH = 255;
const identIn = (
  { from }: LoadedResource,
  params: ReadonlyMap<string, string>,
  query: Query,
): string => {
  if ('param' in from) return params.get(from.param) ?? '';
  const given = from.query
    .map((key) => query.get(key))
    .filter((value) => value !== undefined && value !== '');
  const [ident, ...others] = given;
  if (ident === undefined || others.length > 0)
    throw new BadRequestError(
      `Exactly one of these query parameters is needed: ${from.query.join(', ')}.`,
    );
  return ident;
};

/**
 * The resource that a request names.
 * @returns null for a route that names none
 * @throws BadRequestError when the query names none, or two
 */
export const namedResource = (
  route: Route,
  params: ReadonlyMap<string, string>,
  query: Query,
): NamedResource | null => {
  if (route.resource === null) return null;
  const ident = identIn(route.resource, params, query);
  const known = ident.length <= MAX_IDENT_LENGTH && ident.isWellFormed();
  return { type: route.resource.type, sent: ident, ident, known };
};
