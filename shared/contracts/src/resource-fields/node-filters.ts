import { type NamedFilter, TextList } from './list-filters.js';

/** From the version that brought shards, wherever rows hang on nodes; Ironic accepts it for port groups since 1.106 only. */
export const SHARD_OF_NODE: NamedFilter = {
  since: 82,
  field: 'shard',
  test: 'lookup',
  about: 'Rows on nodes of these shards.',
  schema: TextList,
  below: false,
};

export const CONDUCTOR_GROUPS_OF_NODE: NamedFilter = {
  since: 99,
  field: 'conductor_group',
  test: 'lookup',
  about: 'Rows on nodes of these conductor groups.',
  schema: TextList,
  below: false,
};

/** Filters of rows that hang on nodes, by the node. */

/** By UUID or name. @param since microversion (minor) */
export const onNode = (since: number): NamedFilter => ({
  since,
  field: null,
  test: 'lookup',
  about: 'UUID or name of a node.',
  names: true,
  below: false,
});
