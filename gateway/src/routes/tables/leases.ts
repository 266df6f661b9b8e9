import { LEASE_CATALOGUE } from '@tenure/contracts';
import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type LoadedResource, type Route } from '../route.js';
import { FIELDS, listOf, onNode, rowsOf, WITHIN_NODE } from './rows.js';

const LEASE: LoadedResource = { type: 'lease', loads: 'lease', from: { param: 'ident' } };
const NODE_LEASE: LoadedResource = { type: 'lease', loads: 'node_lease', from: { param: 'ident' } };

const lease = (verb: string): string => `baremetal:lease:${verb}`;

const inventory = rowsOf({ upstream: 'inventory' });
const item = rowsOf({ upstream: 'inventory', resource: LEASE, uuid: { param: 'ident' } });

/** Leases: an extension of Tenure to Ironic's resources, at every microversion. */
export const LEASE_ROUTES: readonly Route[] = [
  inventory({
    method: 'GET',
    path: '/v1/leases',
    summary: 'List leases',
    answer: ANSWER.lease.list,
    action: lease('list'),
    query: listOf(LEASE_CATALOGUE),
    isList: true,
  }),
  inventory({
    method: 'POST',
    path: '/v1/leases',
    summary: 'Create a lease of a node to a project',
    answer: ANSWER.lease.created,
    action: lease('create'),
    resource: onNode('lease'),
    body: BODY.lease,
  }),
  item({
    method: 'GET',
    path: '/v1/leases/{ident}',
    summary: 'Show a lease',
    answer: ANSWER.lease.one,
    action: lease('get'),
    query: FIELDS,
  }),
  item({
    method: 'PATCH',
    path: '/v1/leases/{ident}',
    summary: 'Extend, shorten or otherwise update a lease',
    answer: ANSWER.lease.updated,
    action: lease('update'),
    body: BODY.leasePatch,
  }),
  item({
    method: 'DELETE',
    path: '/v1/leases/{ident}',
    summary: 'End a lease now, or cancel one that has not begun',
    answer: ANSWER.leaseEnded,
    action: lease('delete'),
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/lease',
    summary: 'Show the lease of a node',
    answer: ANSWER.lease.one,
    action: lease('get'),
    resource: NODE_LEASE,
    within: WITHIN_NODE,
    query: FIELDS,
  }),
];
