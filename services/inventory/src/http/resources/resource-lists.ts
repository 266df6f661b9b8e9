import { type ContextClaims, minorOf } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request } from 'express';
import { type ResourceStores } from '../../application/resources/find-resource.js';
import { listResources } from '../../application/resources/list-resources.js';
import { type ResourceKind } from '../../domain/kinds/resource-kind.js';
import { assertComparable, filterHeaderOf, maskedInRow } from '../../domain/visibility.js';
import { type Condition } from '../../ports/record-store.js';
import { conditionsIn } from '../list-filters.js';
import {
  comparedFields,
  type ListMode,
  listParameters,
  listRequest,
  nextLink,
} from '../list-query.js';
import { resourceRecordFields, resourceView } from '../views/resource-view.js';
import { resourceLookups } from './resource-lookups.js';

/** One route of a list of a kind. */
export interface ResourceList {
  readonly kind: ResourceKind;
  /** For the link to the next page: `/v1/ports/detail`. */
  readonly path: string;
  /** Whether the path ends in `/detail`. */
  readonly whole: boolean;
  /** Conditions of the list's parent resource; undefined for a list of its own. */
  readonly below?: readonly Condition[];
}

/**
 * The answer to a list: the rows that the caller may see, masked, and the way to the next page.
 * @throws AccessDeniedError, BadRequestError, NotAcceptableError, NotFoundError
 */
export async function resourceList(
  stores: ResourceStores,
  request: Request,
  { kind, path, whole, below }: ResourceList,
): Promise<Readonly<Record<string, unknown>>> {
  const context = contextOf(request);
  const { obligations, public_base: base } = context;
  const { catalogue } = kind;
  const mode: ListMode = { minor: minorOf(context), whole, below: below !== undefined };
  const given = listParameters(request.query, catalogue, mode);
  assertComparable(comparedFields(given, catalogue), obligations);
  const wanted = listRequest(given, catalogue, mode);
  const { where, whereNode } = await conditionsIn(kind, given, resourceLookups(stores, context));
  const listing = {
    ...wanted,
    where: [...(below ?? []), ...where],
    whereNode,
    read: resourceRecordFields(kind, wanted.fields),
  };
  const { found, next } = await listResources(stores, kind, listing, context);
  const rows = found.map(({ record, node }) =>
    resourceView(
      kind,
      record,
      { base, minor: mode.minor, masked: maskedInRow(node ?? {}, obligations) },
      wanted.fields,
    ),
  );
  if (next === undefined) return { [kind.collection]: rows };
  return { [kind.collection]: rows, next: nextLink(path, wanted, next, base) };
}

/** The value of `X-Tenure-Policy-Filter` for a list: kinds without a node are visible as a whole, or not at all. */
export const listHeaderOf = (
  { onNode }: ResourceKind,
  { obligations }: Pick<ContextClaims, 'obligations'>,
): string => (onNode ? filterHeaderOf(obligations.filter) : 'all');
