import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { NOVA_QUERY_KEYS } from '../nova-query-keys.js';
import { type QueryKeys } from '../query-key.js';
import { type LoadedResource, type Route } from '../route.js';
import { listOfServers, SERVER_ACTION } from '../server-actions.js';
import { rowsOf } from './rows.js';

const row = rowsOf({ api: 'compute', upstream: 'compute' });
const SERVER: LoadedResource = { type: 'server', loads: 'server', from: { param: 'ident' } };
const one = rowsOf({ api: 'compute', upstream: 'compute', resource: SERVER });

const server = (verb: string): string => `os_compute_api:servers:${verb}`;

const { is_public: _ofFlavors, minDisk: _disk, minRam: _memory, ...OF_SERVERS } = NOVA_QUERY_KEYS;
const LIST_KEYS: QueryKeys = new Map(Object.entries(OF_SERVERS));

/** The compute API's root, and its servers. */
export const SERVER_ROUTES: readonly Route[] = [
  row({
    method: 'GET',
    path: '/v2.1',
    summary: 'Show the root of the compute API',
    answer: ANSWER.nova.version,
    action: null,
  }),
  row({
    method: 'GET',
    path: '/v2.1/servers',
    summary: 'List servers',
    answer: ANSWER.nova.servers,
    action: listOfServers(server('index')),
    query: LIST_KEYS,
    isList: true,
  }),
  row({
    method: 'GET',
    path: '/v2.1/servers/detail',
    summary: 'List servers with all their members',
    answer: ANSWER.nova.serverDetails,
    action: listOfServers(server('detail')),
    query: LIST_KEYS,
    isList: true,
  }),
  row({
    method: 'POST',
    path: '/v2.1/servers',
    summary: 'Create a server',
    answer: ANSWER.nova.serverCreated,
    action: server('create'),
    body: BODY.server,
  }),
  one({
    method: 'GET',
    path: '/v2.1/servers/{ident}',
    summary: 'Show a server',
    answer: ANSWER.nova.server,
    action: server('show'),
  }),
  one({
    method: 'PUT',
    path: '/v2.1/servers/{ident}',
    summary: 'Update a server',
    answer: ANSWER.nova.server,
    action: server('update'),
    body: BODY.serverUpdate,
  }),
  one({
    method: 'DELETE',
    path: '/v2.1/servers/{ident}',
    summary: 'Delete a server',
    answer: ANSWER.done,
    action: server('delete'),
  }),
  one({
    method: 'POST',
    path: '/v2.1/servers/{ident}/action',
    summary: 'Run an action on a server',
    answer: ANSWER.nova.acted,
    action: SERVER_ACTION,
    body: BODY.serverAction,
  }),
];
