import { NODE_CATALOGUE } from '@tenure/contracts';
import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type Route } from '../route.js';
import {
  FIELDS,
  keys,
  listAndDetail,
  listOf,
  node,
  NODE,
  rowsOf,
  unknownBefore,
  WITHIN_NODE,
} from './rows.js';

const inventory = rowsOf({ upstream: 'inventory' });
const conductor = rowsOf({ upstream: 'conductor', resource: NODE });

/** Nodes as such. */
export const NODE_ROUTES: readonly Route[] = [
  ...listAndDetail(inventory, {
    path: '/v1/nodes',
    what: 'nodes',
    answers: ANSWER.node,
    action: node('list'),
    query: listOf(NODE_CATALOGUE),
    isList: true,
  }),
  inventory({
    method: 'POST',
    path: '/v1/nodes',
    summary: 'Enrol a node',
    answer: ANSWER.node.created,
    action: node('create'),
    body: BODY.node,
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}',
    summary: 'Show a node',
    answer: ANSWER.node.one,
    action: node('get'),
    resource: NODE,
    query: FIELDS,
  }),
  inventory({
    method: 'PATCH',
    path: '/v1/nodes/{ident}',
    summary: 'Update a node',
    answer: ANSWER.node.updated,
    action: node('update'),
    resource: NODE,
    body: BODY.nodePatch,
    query: keys('reset_interfaces'),
  }),
  inventory({
    method: 'DELETE',
    path: '/v1/nodes/{ident}',
    summary: 'Delete a node',
    answer: ANSWER.done,
    action: node('delete'),
    resource: NODE,
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/children',
    summary: 'List the nodes that are parts of a node',
    answer: ANSWER.children,
    action: node('list'),
    within: WITHIN_NODE,
    isList: true,
    since: unknownBefore(83),
  }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/{ident}/validate',
    summary: 'Validate the interfaces of a node',
    answer: ANSWER.validation,
    action: node('validate'),
  }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/validate',
    summary: 'Validate the interfaces of the node that the query names',
    answer: ANSWER.validation,
    action: node('validate'),
    resource: { type: 'node', loads: 'node', from: { query: ['node', 'node_uuid'] } },
    query: keys('node', 'node_uuid'),
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/maintenance',
    summary: 'Put a node into maintenance',
    answer: ANSWER.accepted,
    action: node('set_maintenance'),
    body: BODY.maintenance,
  }),
  conductor({
    method: 'DELETE',
    path: '/v1/nodes/{ident}/maintenance',
    summary: 'Take a node out of maintenance',
    answer: ANSWER.accepted,
    action: node('clear_maintenance'),
  }),
];
