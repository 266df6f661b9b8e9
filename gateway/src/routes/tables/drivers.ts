import { ANSWER } from '../answers.js';
import { type Route, type Since } from '../route.js';
import { FIELDS, keys, rowsOf } from './rows.js';
import { vendorPassthru } from './vendor-passthru.js';

const RAID: Since = { minor: 12, status: 406, message: 'Request not acceptable.' };

const driver = (verb: string): string => `baremetal:driver:${verb}`;

const inventory = rowsOf({ upstream: 'inventory' });
const conductor = rowsOf({ upstream: 'conductor' });

/** Drivers. The inventory lists them from the conductors' heartbeats; the conductors serve the rest. */
export const DRIVER_ROUTES: readonly Route[] = [
  inventory({
    method: 'GET',
    path: '/v1/drivers',
    summary: 'List the drivers that conductors run',
    answer: ANSWER.driver.list,
    action: driver('get'),
    query: keys('type', 'detail', 'fields'),
  }),
  inventory({
    method: 'GET',
    path: '/v1/drivers/{driver}',
    summary: 'Show a driver',
    answer: ANSWER.driver.one,
    action: driver('get'),
    query: FIELDS,
  }),
  conductor({
    method: 'GET',
    path: '/v1/drivers/{driver}/properties',
    summary: 'Explain the properties of a driver',
    answer: ANSWER.explained,
    action: driver('get_properties'),
  }),
  conductor({
    method: 'GET',
    path: '/v1/drivers/{driver}/raid/logical_disk_properties',
    summary: 'Explain the logical disk properties of a driver',
    answer: ANSWER.explained,
    action: driver('get_raid_logical_disk_properties'),
    since: RAID,
  }),
  ...vendorPassthru({
    path: '/v1/drivers/{driver}/vendor_passthru',
    of: 'a driver',
    action: driver('vendor_passthru'),
    resource: null,
  }),
];
