import { Type } from '@sinclair/typebox';
import { api, TextList } from '@tenure/contracts';
import { flag, type KeyForm, naming, text } from './query-key.js';

/** Keys that are not the filters of a kind of record. */
export const QUERY_KEYS = {
  limit: text('Rows of a page, of which 1000 are given at most.', Type.Integer({ minimum: 1 })),
  marker: naming('The last row of the page before: its UUID, or the name of a conductor.'),
  sort_key: text('The member that the rows are sorted by.'),
  sort_dir: text('The order of the rows.', api.enumOf('asc', 'desc')),
  fields: text('The members to return; not together with detail.', TextList),
  detail: flag('Shows every member of each row.'),

  addresses: text('MAC addresses of a machine.', TextList),
  device_types: text('Virtual drives that are emptied; all of them when left out.', TextList),
  manage_boot: flag('Whether the hardware is made to boot for the inspection.'),
  method: text('The name of the method.'),
  node: naming('UUID or name of a node.'),
  node_uuid: naming('UUID of a node.', api.Uuid),
  reset_interfaces: flag('Sets interfaces to the defaults of the new driver.'),
  state: text('Rows in this state.'),
  type: text('Drivers of this type.', api.enumOf('classic', 'dynamic')),
} as const satisfies Record<string, KeyForm>;
