import { CHASSIS_CATALOGUE, NODE_CATALOGUE } from '@tenure/contracts';
import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type Route } from '../route.js';
import { FIELDS, listAndDetail, listOf, node, rowsOf } from './rows.js';

const chassis = (verb: string): string => `baremetal:chassis:${verb}`;

const row = rowsOf({ upstream: 'inventory' });
const item = rowsOf({ upstream: 'inventory', uuid: { param: 'ident' } });

/** Chassis. They have no owner, so every decision depends on the caller alone. */
export const CHASSIS_ROUTES: readonly Route[] = [
  ...listAndDetail(row, {
    path: '/v1/chassis',
    what: 'chassis',
    answers: ANSWER.chassis,
    action: chassis('get'),
    query: listOf(CHASSIS_CATALOGUE),
  }),
  row({
    method: 'POST',
    path: '/v1/chassis',
    summary: 'Create a chassis',
    answer: ANSWER.chassis.created,
    action: chassis('create'),
    body: BODY.chassis,
  }),
  item({
    method: 'GET',
    path: '/v1/chassis/{ident}',
    summary: 'Show a chassis',
    answer: ANSWER.chassis.one,
    action: chassis('get'),
    query: FIELDS,
  }),
  item({
    method: 'PATCH',
    path: '/v1/chassis/{ident}',
    summary: 'Update a chassis',
    answer: ANSWER.chassis.updated,
    action: chassis('update'),
    body: BODY.chassisPatch,
  }),
  item({
    method: 'DELETE',
    path: '/v1/chassis/{ident}',
    summary: 'Delete a chassis',
    answer: ANSWER.done,
    action: chassis('delete'),
  }),
  ...listAndDetail(item, {
    path: '/v1/chassis/{ident}/nodes',
    what: 'nodes in a chassis',
    answers: ANSWER.node,
    action: node('list'),
    within: { action: chassis('get'), resource: null },
    query: listOf(NODE_CATALOGUE),
    isList: true,
  }),
];
