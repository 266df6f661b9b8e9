import { CHANGE, PORT_CATALOGUE } from '@tenure/contracts';
import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type LoadedResource, type Route } from '../route.js';
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

const PORT: LoadedResource = { type: 'port', loads: 'port', from: { param: 'ident' } };
const inventory = rowsOf({ upstream: 'inventory' });
const list = rowsOf({ upstream: 'inventory', isList: true });
// Ports have names from 1.88 on.
const item = rowsOf({
  upstream: 'inventory',
  resource: PORT,
  uuid: { param: 'ident', below: CHANGE.portNames.minor },
});

const LIST_ACTION = 'baremetal:port:list';

/** Ports, also those of a node and of a port group. */
export const PORT_ROUTES: readonly Route[] = [
  ...listAndDetail(list, {
    path: '/v1/ports',
    what: 'ports',
    answers: ANSWER.port,
    action: LIST_ACTION,
    query: listOf(PORT_CATALOGUE),
  }),
  inventory({
    method: 'POST',
    path: '/v1/ports',
    summary: 'Create a port',
    answer: ANSWER.port.created,
    action: 'baremetal:port:create',
    resource: onNode('port'),
    body: BODY.port,
  }),
  item({
    method: 'GET',
    path: '/v1/ports/{ident}',
    summary: 'Show a port',
    answer: ANSWER.port.one,
    action: 'baremetal:port:get',
    query: FIELDS,
  }),
  item({
    method: 'PATCH',
    path: '/v1/ports/{ident}',
    summary: 'Update a port',
    answer: ANSWER.port.updated,
    action: 'baremetal:port:update',
    body: BODY.portPatch,
  }),
  item({
    method: 'DELETE',
    path: '/v1/ports/{ident}',
    summary: 'Delete a port',
    answer: ANSWER.done,
    action: 'baremetal:port:delete',
  }),

  ...listAndDetail(list, {
    path: '/v1/nodes/{ident}/ports',
    what: 'ports of a node',
    answers: ANSWER.port,
    action: LIST_ACTION,
    within: WITHIN_NODE,
    query: listBelow(PORT_CATALOGUE),
  }),
  ...listAndDetail(list, {
    path: '/v1/portgroups/{ident}/ports',
    what: 'ports of a port group',
    answers: ANSWER.port,
    action: LIST_ACTION,
    within: {
      action: 'baremetal:portgroup:get',
      resource: { type: 'portgroup', loads: 'portgroup', from: { param: 'ident' } },
    },
    query: listBelow(PORT_CATALOGUE),
    since: unknownBefore(24),
  }),
];
