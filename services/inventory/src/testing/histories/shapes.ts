import { type RecordShape, type StoredRecord } from '../../ports/record-store.js';

const PARENT_SHAPE: RecordShape = {
  name: 'history_parents',
  indexed: ['name', 'owner'],
  compound: [],
  unique: ['name'],
  uniqueTogether: [],
  queried: ['flag'],
};

/** A kind of record with everything that a shape can have. */
const ITEM_SHAPE: RecordShape = {
  name: 'history_items',
  indexed: ['name', 'address', 'owner', 'state', 'parent_uuid', 'flag'],
  compound: [['state', 'owner']],
  unique: ['name', 'address'],
  uniqueTogether: [['owner', 'slot']],
  queried: ['note', 'level', 'tags'],
  parent: { field: 'parent_uuid', shape: PARENT_SHAPE },
};

export const HISTORY_SHAPES = { items: ITEM_SHAPE, parents: PARENT_SHAPE } as const;
export type Kind = keyof typeof HISTORY_SHAPES;

/** A record of a history: `born` is the epoch that it was made in. */
export type HistoryRecord = StoredRecord & { readonly born?: number };
