import { ANSWER } from '../answers.js';
import { type Route } from '../route.js';
import { novaKeys, rowsOf } from './rows.js';

const row = rowsOf({ api: 'compute', upstream: 'compute' });
const FLAVORS = 'os_compute_api:flavors';
const KEYS = novaKeys('limit', 'marker', 'sort_key', 'sort_dir', 'is_public', 'minDisk', 'minRam');

/** Flavors of servers: resource classes of the fleet. */
export const FLAVOR_ROUTES: readonly Route[] = [
  row({
    method: 'GET',
    path: '/v2.1/flavors',
    summary: 'List flavors',
    answer: ANSWER.nova.flavors,
    action: FLAVORS,
    query: KEYS,
  }),
  row({
    method: 'GET',
    path: '/v2.1/flavors/detail',
    summary: 'List flavors with all their members',
    answer: ANSWER.nova.flavors,
    action: FLAVORS,
    query: KEYS,
  }),
  row({
    method: 'GET',
    path: '/v2.1/flavors/{flavor}',
    summary: 'Show a flavor',
    answer: ANSWER.nova.flavor,
    action: FLAVORS,
  }),
  row({
    method: 'GET',
    path: '/v2.1/flavors/{flavor}/os-extra_specs',
    summary: 'List the extra specs of a flavor',
    answer: ANSWER.nova.extraSpecs,
    action: 'os_compute_api:os-flavor-extra-specs:index',
  }),
];
