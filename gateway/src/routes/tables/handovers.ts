import { ANSWER } from '../answers.js';
import { type LoadedResource, type Route } from '../route.js';
import { FIELDS, keys, rowsOf } from './rows.js';

const OF_NODE: LoadedResource = { type: 'handover', loads: 'node', from: { param: 'ident' } };
const PAGE = keys('fields', 'detail', 'limit', 'marker');

const handover = (verb: string): string => `baremetal:handover:${verb}`;

const ofNode = rowsOf({ upstream: 'inventory', resource: OF_NODE });
const named = rowsOf({ upstream: 'inventory' });

/**
 * Handovers: an extension of Tenure, at every microversion, and read-only. `/v1/handovers` also contains those of nodes that
 * the project can no longer see.
 */
export const HANDOVER_ROUTES: readonly Route[] = [
  ofNode({
    method: 'GET',
    path: '/v1/nodes/{ident}/handovers',
    summary: 'List the handovers of a node',
    answer: ANSWER.handover.list,
    action: handover('get'),
    query: PAGE,
    isList: true,
  }),
  ofNode({
    method: 'GET',
    path: '/v1/nodes/{ident}/handovers/{handover}',
    summary: 'Show a handover of a node',
    answer: ANSWER.handover.one,
    action: handover('get'),
    query: FIELDS,
  }),
  named({
    method: 'GET',
    path: '/v1/handovers',
    summary: 'List handovers from and to the project of the caller',
    answer: ANSWER.handover.list,
    action: handover('list'),
    query: PAGE,
    isList: true,
  }),
  named({
    method: 'GET',
    path: '/v1/handovers/{handover}',
    summary: 'Show a handover from or to the project of the caller',
    answer: ANSWER.handover.one,
    action: handover('list'),
    query: FIELDS,
  }),
];
