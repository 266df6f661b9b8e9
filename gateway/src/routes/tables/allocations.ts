import { ALLOCATION_CATALOGUE } from '@tenure/contracts';
import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type LoadedResource, type Route, type Since } from '../route.js';
import {
  collectionSince,
  FIELDS,
  rowsOf,
  unknownBefore,
  wholeListOf,
  WITHIN_NODE,
} from './rows.js';

const ALLOCATION: LoadedResource = {
  type: 'allocation',
  loads: 'allocation',
  from: { param: 'ident' },
};
const NODE_ALLOCATION: LoadedResource = {
  type: 'allocation',
  loads: 'node_allocation',
  from: { param: 'ident' },
};

const SINCE = collectionSince(52, 'allocations');
const UPDATE: Since = {
  minor: 57,
  status: 405,
  message: 'The API version does not allow updating allocations',
};
const allocation = (verb: string): string => `baremetal:allocation:${verb}`;

const read = rowsOf({ upstream: 'allocation', since: SINCE.read });
const write = rowsOf({ upstream: 'allocation', since: SINCE.write });
const nodeAllocation = rowsOf({
  upstream: 'allocation',
  resource: NODE_ALLOCATION,
  within: WITHIN_NODE,
  since: unknownBefore(52),
});

/** Allocations, and the allocation of a node. */
export const ALLOCATION_ROUTES: readonly Route[] = [
  read({
    method: 'GET',
    path: '/v1/allocations',
    summary: 'List allocations',
    answer: ANSWER.allocation.list,
    action: allocation('list'),
    query: wholeListOf(ALLOCATION_CATALOGUE),
    isList: true,
  }),
  write({
    method: 'POST',
    path: '/v1/allocations',
    summary: 'Create an allocation',
    answer: ANSWER.allocation.created,
    action: allocation('create'),
    body: BODY.allocation,
  }),
  read({
    method: 'GET',
    path: '/v1/allocations/{ident}',
    summary: 'Show an allocation',
    answer: ANSWER.allocation.one,
    action: allocation('get'),
    resource: ALLOCATION,
    query: FIELDS,
  }),
  write({
    method: 'PATCH',
    path: '/v1/allocations/{ident}',
    summary: 'Update an allocation',
    answer: ANSWER.allocation.updated,
    action: allocation('update'),
    resource: ALLOCATION,
    body: BODY.allocationPatch,
    since: UPDATE,
  }),
  write({
    method: 'DELETE',
    path: '/v1/allocations/{ident}',
    summary: 'Delete an allocation',
    answer: ANSWER.done,
    action: allocation('delete'),
    resource: ALLOCATION,
  }),
  nodeAllocation({
    method: 'GET',
    path: '/v1/nodes/{ident}/allocation',
    summary: 'Show the allocation of a node',
    answer: ANSWER.allocation.one,
    action: allocation('get'),
    query: FIELDS,
  }),
  nodeAllocation({
    method: 'DELETE',
    path: '/v1/nodes/{ident}/allocation',
    summary: 'Delete the allocation of a node',
    answer: ANSWER.done,
    action: allocation('delete'),
  }),
];
