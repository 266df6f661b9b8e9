import { AccessDeniedError, BadRequestError, isUuid, NotFoundError } from '@tenure/contracts';
import { findLinkable } from '../../application/parent-node.js';
import {
  type ResourceContext,
  type ResourceStores,
} from '../../application/resources/find-resource.js';
import { findShown } from '../../application/resources/list-resources.js';
import { KINDS } from '../../domain/kinds/all-kinds.js';
import { type ResourceKind, type ResourceSection } from '../../domain/kinds/resource-kind.js';
import { type Condition } from '../../ports/record-store.js';

/** What a filter asks of a record, or of the node that it hangs on. */
interface Conditions {
  readonly where: readonly Condition[];
  readonly whereNode: readonly Condition[];
}

interface Scope {
  readonly stores: ResourceStores;
  readonly context: ResourceContext;
}

/** A query parameter that narrows a list. */
export interface ResourceFilter {
  readonly since: number;
  /** The field whose values the answer tells about; null when it is none that may be masked. */
  readonly field: string | null;
  /** Whether lists below another thing take it too. */
  readonly below: boolean;
  readonly conditions: (scope: Scope, value: string) => Promise<Conditions>;
}

const ofRecord = (...where: readonly Condition[]): Conditions => ({ where, whereNode: [] });
const ofNode = (...whereNode: readonly Condition[]): Conditions => ({ where: [], whereNode });

const listed = (value: string): readonly string[] => value.split(',').map((one) => one.trim());

const equals = (
  field: string,
  since: number,
  normal: (value: string) => string = (value) => value,
): ResourceFilter => ({
  since,
  field,
  below: true,
  conditions: (_scope, value) =>
    Promise.resolve(ofRecord({ field, op: 'eq', value: normal(value) })),
});

const contains = (field: string, since: number): ResourceFilter => ({
  since,
  field,
  below: true,
  conditions: (_scope, value) => Promise.resolve(ofRecord({ field, op: 'contains', value })),
});

/** A node that is missing and one that the caller may not see are the same 404. */
const onNode = (since: number): ResourceFilter => ({
  since,
  field: null,
  below: false,
  conditions: async ({ stores, context }, value) => {
    const node = await findLinkable(stores.nodes, value, context.obligations.filter);
    if (node === undefined) throw NotFoundError.of('Node', value);
    return ofRecord({ field: 'node_uuid', op: 'eq', value: node.uuid });
  },
});

const onNodeByUuid = (since: number): ResourceFilter => ({
  ...onNode(since),
  conditions: async (scope, value) => {
    if (!isUuid(value))
      throw new BadRequestError(`Expected a UUID but received ${value.slice(0, 64)}.`);
    return onNode(since).conditions(scope, value);
  },
});

const inPortgroup = (since: number): ResourceFilter => ({
  since,
  field: null,
  below: false,
  conditions: async ({ stores, context }, value) => {
    const portgroup = await findShown(stores, KINDS.portgroups, value, context);
    return ofRecord({ field: 'portgroup_uuid', op: 'eq', value: portgroup.uuid });
  },
});

/** From the version that brought shards, wherever rows hang on nodes; Ironic took it for portgroups in 1.106 only. */
const SHARD_OF_NODE: ResourceFilter = {
  since: 82,
  field: 'shard',
  below: false,
  conditions: (_scope, value) =>
    Promise.resolve(ofNode({ field: 'shard', op: 'in', values: listed(value) })),
};

/** The groups of nodes are the operator's business: who is shown some rows only is not told them by a filter either. */
const conductorGroupsOfNode = (since: number): ResourceFilter => ({
  since,
  field: 'conductor_group',
  below: false,
  conditions: ({ context }, value) => {
    if (context.obligations.filter.mode !== 'all')
      throw new AccessDeniedError('baremetal:node:get:conductor_group');
    const values = listed(value).map((one) => one.toLowerCase());
    return Promise.resolve(ofNode({ field: 'conductor_group', op: 'in', values }));
  },
});

const mac = (value: string): string => value.toLowerCase();

/** What the lists of each kind can be narrowed by. */
const FILTERS: Readonly<Record<ResourceSection, Readonly<Record<string, ResourceFilter>>>> = {
  ports: {
    node: onNode(6),
    node_uuid: onNodeByUuid(1),
    address: equals('address', 1, mac),
    portgroup: inPortgroup(24),
    shard: SHARD_OF_NODE,
    description_contains: contains('description', 97),
    conductor_groups: conductorGroupsOfNode(99),
  },
  portgroups: {
    node: onNode(23),
    address: equals('address', 23, mac),
    shard: SHARD_OF_NODE,
    conductor_groups: conductorGroupsOfNode(99),
  },
  volume_connectors: { node: onNode(32) },
  volume_targets: { node: onNode(32) },
  chassis: {},
  deploy_templates: {},
};

/**
 * The filters of a list.
 * @param below whether it is a list below another thing, which is a filter already
 */
export const filtersFor = (
  { section }: ResourceKind,
  below: boolean,
): Readonly<Record<string, ResourceFilter>> =>
  below
    ? Object.fromEntries(Object.entries(FILTERS[section]).filter(([, filter]) => filter.below))
    : FILTERS[section];
