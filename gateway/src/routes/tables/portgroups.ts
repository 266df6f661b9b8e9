import { PORTGROUP_CATALOGUE } from '@tenure/contracts';
import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type LoadedResource, type Route, type Since } from '../route.js';
import {
  FIELDS,
  listAndDetail,
  listBelow,
  listOf,
  onNode,
  rowsOf,
  unknownBefore,
  WITHIN_NODE,
} from './rows.js';

const PORTGROUP: LoadedResource = {
  type: 'portgroup',
  loads: 'portgroup',
  from: { param: 'ident' },
};
const PORTGROUPS: Since = {
  minor: 23,
  status: 404,
  message: 'The API is not supported for this version',
};

const inventory = rowsOf({ upstream: 'inventory', since: PORTGROUPS });
const list = rowsOf({ upstream: 'inventory', isList: true });
const item = rowsOf({ upstream: 'inventory', resource: PORTGROUP, since: PORTGROUPS });

const LIST_ACTION = 'baremetal:portgroup:list';

/** Port groups, also those of a node. */
export const PORTGROUP_ROUTES: readonly Route[] = [
  ...listAndDetail(inventory, {
    path: '/v1/portgroups',
    what: 'port groups',
    answers: ANSWER.portgroup,
    action: LIST_ACTION,
    query: listOf(PORTGROUP_CATALOGUE),
    isList: true,
  }),
  inventory({
    method: 'POST',
    path: '/v1/portgroups',
    summary: 'Create a port group',
    answer: ANSWER.portgroup.created,
    action: 'baremetal:portgroup:create',
    resource: onNode('portgroup'),
    body: BODY.portgroup,
  }),
  item({
    method: 'GET',
    path: '/v1/portgroups/{ident}',
    summary: 'Show a port group',
    answer: ANSWER.portgroup.one,
    action: 'baremetal:portgroup:get',
    query: FIELDS,
  }),
  item({
    method: 'PATCH',
    path: '/v1/portgroups/{ident}',
    summary: 'Update a port group',
    answer: ANSWER.portgroup.updated,
    action: 'baremetal:portgroup:update',
    body: BODY.portgroupPatch,
  }),
  item({
    method: 'DELETE',
    path: '/v1/portgroups/{ident}',
    summary: 'Delete a port group',
    answer: ANSWER.done,
    action: 'baremetal:portgroup:delete',
  }),
  ...listAndDetail(list, {
    path: '/v1/nodes/{ident}/portgroups',
    what: 'port groups of a node',
    answers: ANSWER.portgroup,
    action: LIST_ACTION,
    within: WITHIN_NODE,
    query: listBelow(PORTGROUP_CATALOGUE),
    since: unknownBefore(24),
  }),
];
