import { type ContextClaims, minorOf } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request } from 'express';
import { type ResourceStores } from '../../application/resources/find-resource.js';
import { listResources } from '../../application/resources/list-resources.js';
import { type ResourceKind, type ResourceSection } from '../../domain/kinds/resource-kind.js';
import { assertComparable, filterHeaderOf, maskedInRow } from '../../domain/visibility.js';
import { type Condition } from '../../ports/record-store.js';
import {
  type ListMode,
  listParameters,
  listRequest,
  type ListRules,
  nextLink,
  type Query,
} from '../list-query.js';
import { resourceRecordFields, resourceView } from '../views/resource-view.js';
import { filtersFor, type ResourceFilter } from './resource-filters.js';

// `fields` came with 1.8, `?detail=` with 1.43; kinds that are younger had them from the start.
const SINCE: Readonly<Record<ResourceSection, ListRules['since']>> = {
  ports: { fields: 8, detail: 43 },
  portgroups: { fields: 23, detail: 43 },
  chassis: { fields: 8, detail: 43 },
  volume_connectors: { fields: 32, detail: 32 },
  volume_targets: { fields: 32, detail: 32 },
  deploy_templates: { fields: 55, detail: 55 },
};

/** Microversion of `fields` when one record is shown. */
export const fieldsSince = ({ section }: ResourceKind): number => SINCE[section].fields;

/** One way to a list of a kind. */
export interface ResourceList {
  readonly kind: ResourceKind;
  /** For the link to the next page: `/v1/ports/detail`. */
  readonly path: string;
  /** Whether the path ends in `/detail`. */
  readonly whole: boolean;
  /** What the thing above the list narrows it to; undefined for a list of its own. */
  readonly below?: readonly Condition[];
}

type Filters = Readonly<Record<string, ResourceFilter>>;

const conditionsIn = async (
  stores: ResourceStores,
  given: Query,
  filters: Filters,
  context: ContextClaims,
): Promise<{ where: readonly Condition[]; whereNode: readonly Condition[] }> => {
  const where: Condition[] = [];
  const whereNode: Condition[] = [];
  for (const [name, filter] of Object.entries(filters)) {
    const value = given[name];
    if (value === undefined) continue;
    const found = await filter.conditions({ stores, context }, value);
    where.push(...found.where);
    whereNode.push(...found.whereNode);
  }
  return { where, whereNode };
};

/** Fields whose values the answer tells about. */
const comparedFields = (given: Query, filters: Filters): readonly string[] => [
  ...Object.keys(given).flatMap((name) => filters[name]?.field ?? []),
  ...(given['sort_key'] === undefined ? [] : [given['sort_key']]),
];

const rulesFor = ({ catalogue, section }: ResourceKind, filters: Filters): ListRules => ({
  catalogue,
  filters: Object.fromEntries(Object.entries(filters).map(([name, { since }]) => [name, since])),
  since: SINCE[section],
  fieldsText: catalogue.listFields.join(','),
});

/**
 * The answer to a list: the rows that the caller may see, masked, and the way to the next page.
 * @throws AccessDeniedError, BadRequestError, NotAcceptableError, NotFoundError
 */
export const resourceList = async (
  stores: ResourceStores,
  request: Request,
  { kind, path, whole, below }: ResourceList,
): Promise<Readonly<Record<string, unknown>>> => {
  const context = contextOf(request);
  const { obligations, public_base: base } = context;
  const mode: ListMode = { minor: minorOf(context), whole };
  const filters = filtersFor(kind, below !== undefined);
  const rules = rulesFor(kind, filters);
  const given = listParameters(request.query, rules, mode);
  assertComparable(comparedFields(given, filters), obligations);
  const wanted = listRequest(given, rules, mode);
  const { where, whereNode } = await conditionsIn(stores, given, filters, context);
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
};

/** What `X-Tenure-Policy-Filter` says of a list: kinds that hang on no node are shown as a whole, or not at all. */
export const listHeaderOf = (
  { onNode }: ResourceKind,
  { obligations }: Pick<ContextClaims, 'obligations'>,
): string => (onNode ? filterHeaderOf(obligations.filter) : 'all');
