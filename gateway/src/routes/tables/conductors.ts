import { ANSWER } from '../answers.js';
import { type Route } from '../route.js';
import { collectionSince, FIELDS, LIST, missingBefore, rowsOf } from './rows.js';

const CONDUCTOR = 'baremetal:conductor:get';

const conductors = rowsOf({ upstream: 'inventory', since: missingBefore(49) });

/** Conductors and conductor groups. */
export const CONDUCTOR_ROUTES: readonly Route[] = [
  conductors({
    method: 'GET',
    path: '/v1/conductors',
    summary: 'List conductors',
    answer: ANSWER.conductor.list,
    action: CONDUCTOR,
    query: LIST,
  }),
  conductors({
    method: 'GET',
    path: '/v1/conductors/{hostname}',
    summary: 'Show a conductor',
    answer: ANSWER.conductor.one,
    action: CONDUCTOR,
    query: FIELDS,
  }),
  conductors({
    method: 'GET',
    path: '/v1/shards',
    summary: 'Count the nodes of each shard',
    answer: ANSWER.shards,
    action: 'baremetal:shards:get',
    since: collectionSince(82, 'shards').read,
  }),
];
