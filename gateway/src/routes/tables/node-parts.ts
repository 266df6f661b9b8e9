import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type Route, type Since } from '../route.js';
import { keys, missingBefore, node, NODE, rowsOf, unknownBefore } from './rows.js';
import { vendorPassthru } from './vendor-passthru.js';

const inventory = rowsOf({ upstream: 'inventory', resource: NODE });
const traits = rowsOf({ upstream: 'inventory', resource: NODE, since: unknownBefore(37) });
/** Old versions of Ironic took the segment after a node for a field to return, which PUT does not support. */
const TRAITS_READ: Since = { minor: 37, status: 406, message: 'Request not acceptable.' };
const TRAITS_PUT: Since = {
  minor: 37,
  status: 405,
  message: 'The method PUT is not allowed for this resource.',
};
const vifs = rowsOf({ upstream: 'conductor', resource: NODE, since: unknownBefore(28) });
const virtualMedia = rowsOf({ upstream: 'conductor', resource: NODE, since: unknownBefore(89) });

/** Parts of a node that are no resources of their own: the question to the policy is about the node. */
export const NODE_PART_ROUTES: readonly Route[] = [
  traits({
    method: 'GET',
    path: '/v1/nodes/{ident}/traits',
    summary: 'List the traits of a node',
    answer: ANSWER.traits,
    action: node('traits:list'),
    since: TRAITS_READ,
  }),
  traits({
    method: 'PUT',
    path: '/v1/nodes/{ident}/traits',
    summary: 'Replace the traits of a node',
    answer: ANSWER.done,
    action: node('traits:set'),
    since: TRAITS_PUT,
    body: BODY.traits,
  }),
  traits({
    method: 'DELETE',
    path: '/v1/nodes/{ident}/traits',
    summary: 'Remove all traits of a node',
    answer: ANSWER.done,
    action: node('traits:delete'),
  }),
  traits({
    method: 'PUT',
    path: '/v1/nodes/{ident}/traits/{trait}',
    summary: 'Add a trait to a node',
    answer: ANSWER.doneAt,
    action: node('traits:set'),
    since: TRAITS_PUT,
    body: BODY.nothing,
  }),
  traits({
    method: 'DELETE',
    path: '/v1/nodes/{ident}/traits/{trait}',
    summary: 'Remove a trait of a node',
    answer: ANSWER.done,
    action: node('traits:delete'),
  }),

  vifs({
    method: 'GET',
    path: '/v1/nodes/{ident}/vifs',
    summary: 'List the virtual interfaces that are attached to a node',
    answer: ANSWER.vifs,
    action: node('vif:list'),
  }),
  vifs({
    method: 'POST',
    path: '/v1/nodes/{ident}/vifs',
    summary: 'Attach a virtual interface to a node',
    answer: ANSWER.done,
    action: node('vif:attach'),
    body: BODY.vif,
  }),
  vifs({
    method: 'DELETE',
    path: '/v1/nodes/{ident}/vifs/{vif}',
    summary: 'Detach a virtual interface from a node',
    answer: ANSWER.done,
    action: node('vif:detach'),
  }),

  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/bios',
    summary: 'List the BIOS settings of a node',
    answer: ANSWER.bios,
    action: node('bios:get'),
    query: keys('fields', 'detail'),
    since: unknownBefore(40),
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/bios/{setting}',
    summary: 'Show a BIOS setting of a node',
    answer: ANSWER.biosSetting,
    action: node('bios:get'),
    since: unknownBefore(40),
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/firmware',
    summary: 'List the firmware components of a node',
    answer: ANSWER.firmware,
    action: node('firmware:get'),
    query: keys('fields', 'detail'),
    since: unknownBefore(86),
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/history',
    summary: 'List the history of a node',
    answer: ANSWER.history,
    action: node('history:get'),
    query: keys('detail', 'limit', 'marker'),
    since: unknownBefore(78),
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/history/{event}',
    summary: 'Show one event in the history of a node',
    answer: ANSWER.historyEntry,
    action: node('history:get'),
    since: unknownBefore(78),
  }),
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/inventory',
    summary: 'Show the report of the inspection of a node',
    answer: ANSWER.inventory,
    action: node('inventory:get'),
    since: unknownBefore(81),
  }),

  virtualMedia({
    method: 'GET',
    path: '/v1/nodes/{ident}/vmedia',
    summary: 'List the virtual drives of a node',
    answer: ANSWER.virtualMedia,
    action: node('vmedia:get'),
    since: missingBefore(93),
  }),
  virtualMedia({
    method: 'POST',
    path: '/v1/nodes/{ident}/vmedia',
    summary: 'Put an image into a virtual drive of a node',
    answer: ANSWER.done,
    action: node('vmedia:attach'),
    body: BODY.virtualMedia,
  }),
  virtualMedia({
    method: 'DELETE',
    path: '/v1/nodes/{ident}/vmedia',
    summary: 'Empty virtual drives of a node',
    answer: ANSWER.done,
    action: node('vmedia:detach'),
    query: keys('device_types'),
    body: BODY.virtualDrives,
  }),

  ...vendorPassthru({
    path: '/v1/nodes/{ident}/vendor_passthru',
    of: 'a node',
    action: node('vendor_passthru'),
    resource: NODE,
  }),
];
