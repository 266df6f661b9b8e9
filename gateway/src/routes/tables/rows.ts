import { type ResourceCatalogue } from '@tenure/contracts';
import { type Answer } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { NOVA_QUERY_KEYS } from '../nova-query-keys.js';
import { allKeys, filterKeys, keysOf, type QueryKeys } from '../query-key.js';
import { QUERY_KEYS } from '../query-keys.js';
import { type LoadedResource, type ParentQuestion, type Route, type Since } from '../route.js';

/** A row without the properties that have defaults. */
export type Row = Pick<Route, 'method' | 'path' | 'action' | 'summary' | 'answer'> & Partial<Route>;

export const keys = keysOf(QUERY_KEYS);
/** Selects keys of the compute API. */
export const novaKeys = keysOf(NOVA_QUERY_KEYS);
const NO_KEYS = keys();
export const FIELDS = keys('fields');

interface ListPair extends Omit<Row, 'method' | 'summary' | 'answer'> {
  /** Objects of the list, for the summary: `ports of a node`. */
  readonly what: string;
  readonly answers: { readonly list: Answer; readonly details: Answer };
  readonly query: QueryKeys;
}

/** Query keys of every paged and sorted list. */
const PAGE = keys('limit', 'marker', 'sort_key', 'sort_dir');
/** Query keys of a list with selectable fields and without filters. */
export const LIST = allKeys(PAGE, keys('fields', 'detail'));

export const NODE: LoadedResource = { type: 'node', loads: 'node', from: { param: 'ident' } };

export const WITHIN_NODE: ParentQuestion = { action: 'baremetal:node:get', resource: NODE };

/** Creates rows that share the properties of `common`. */
export const rowsOf =
  (common: Pick<Route, 'upstream'> & Partial<Route>) =>
  (row: Row): Route => ({
    api: 'baremetal',
    resource: null,
    body: BODY.none,
    query: NO_KEYS,
    ...common,
    ...row,
  });

/** A list, and the same with `/detail`, which returns all fields and so accepts no selection of fields. */
export const listAndDetail = (
  row: (row: Row) => Route,
  { what, answers, ...common }: ListPair,
): readonly Route[] => [
  row({ ...common, method: 'GET', summary: `List ${what}`, answer: answers.list }),
  row({
    ...common,
    method: 'GET',
    path: `${common.path}/detail`,
    summary: `List ${what} with all their members`,
    answer: answers.details,
    query: new Map([...common.query].filter(([key]) => key !== 'fields' && key !== 'detail')),
  }),
];

/** Query keys of a list with all filters of its records. */
export const listOf = (catalogue: ResourceCatalogue): QueryKeys =>
  allKeys(LIST, filterKeys(catalogue));
/** Query keys of such a list below another object. */
export const listBelow = (catalogue: ResourceCatalogue): QueryKeys =>
  allKeys(LIST, filterKeys(catalogue, true));
/** Query keys of a list that returns all fields unless `fields` selects some. */
export const wholeListOf = (catalogue: ResourceCatalogue): QueryKeys =>
  allKeys(PAGE, FIELDS, filterKeys(catalogue));

export const node = (verb: string): string => `baremetal:node:${verb}`;

/** A resource that is created on the node that the body names. */
export const onNode = (type: LoadedResource['type']): LoadedResource => ({
  type,
  loads: 'node',
  from: { member: 'node_uuid' },
});

/** Below its first microversion a sub-resource of nodes is an unknown path. */
export const unknownBefore = (minor: number): Since => ({
  minor,
  status: 404,
  message: 'The resource could not be found.',
});

/** Below its first microversion a route answers as for a missing resource. */
export const missingBefore = (minor: number): Since => ({
  minor,
  status: 404,
  message: 'Resource could not be found.',
});

/** Below the first microversion of a whole collection, reading it is a 404 and everything else a 405. */
export function collectionSince(
  minor: number,
  what: string,
): { readonly read: Since; readonly write: Since } {
  const message = `The API version does not allow ${what}`;
  return { read: { minor, status: 404, message }, write: { minor, status: 405, message } };
}
