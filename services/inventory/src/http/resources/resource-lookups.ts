import { AccessDeniedError, BadRequestError, isUuid } from '@tenure/contracts';
import {
  type ResourceContext,
  type ResourceStores,
} from '../../application/resources/find-resource.js';
import { findVisible } from '../../application/resources/list-resources.js';
import { KINDS } from '../../domain/kinds/all-kinds.js';
import { type Lookups, valuesIn } from '../list-filters.js';
import { nodeLookup } from '../node-lookup.js';

/** The filters of ports, port groups and volumes that name other records, or concern the node of a row. */
export function resourceLookups(stores: ResourceStores, context: ResourceContext): Lookups {
  const { filter } = context.obligations;
  const node = nodeLookup(stores.nodes, filter, 'node_uuid');
  return {
    node,
    node_uuid: (uuid) => {
      if (!isUuid(uuid))
        throw new BadRequestError(`Expected a UUID but received ${uuid.slice(0, 64)}.`);
      return node(uuid);
    },
    portgroup: async (ident) => {
      const { uuid } = await findVisible(stores, KINDS.portgroups, ident, context);
      return { where: [{ field: 'portgroup_uuid', op: 'eq', value: uuid }] };
    },
    shard: (shards) =>
      Promise.resolve({ whereNode: [{ field: 'shard', op: 'in', values: valuesIn(shards) }] }),
    // Only operators may see conductor groups: a caller who sees only some rows must not find them out by a filter.
    conductor_groups: (groups) => {
      if (filter.mode !== 'all') throw new AccessDeniedError('baremetal:node:get:conductor_group');
      const values = valuesIn(groups.toLowerCase());
      return Promise.resolve({ whereNode: [{ field: 'conductor_group', op: 'in', values }] });
    },
  };
}
