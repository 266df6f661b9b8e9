// Writes the lists of collections and indexes into docs/mongodb.md, from the shapes that the migrations create them from.
// Usage: node scripts/docs/mongodb-indexes.mjs [--check]    (--check: fails when the page is not what the shapes say)
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { indexesOf } from '../../services/inventory/dist/adapters/indexes-mongo.js';
import { ALL_SHAPES } from '../../services/inventory/dist/ports/shapes.js';
import { DECISION_INDEXES } from '../../services/pdp/dist/adapters/record-receiver-mongo.js';
import { ALLOCATION_CATALOGUE, NODE_CATALOGUE } from '../../shared/contracts/dist/index.js';
import { writePage } from './write-page.mjs';

const PAGE = path.join(import.meta.dirname, '..', '..', 'docs', 'mongodb.md');
const BEGIN =
  '<!-- indexes: begin (made by scripts/docs/mongodb-indexes.mjs; `make check` compares) -->';
const END = '<!-- indexes: end -->';

/** By collection: what is in it, and the query that each index serves. */
const SERVES = {
  nodes: {
    about: 'machines',
    seq: 'every list in the order of creation; pages of the conductors’ power sync',
    'owner, seq': 'lists of a project (policy filter), `?owner=`',
    'lessee, seq': 'lists of a project (policy filter), `?lessee=`',
    'provision_state, seq': '`?provision_state=`; counts for `tenure_inventory_nodes`',
    'resource_class, seq': '`?resource_class=`; flavors',
    'conductor_group, seq': '`?conductor_group=`; shards of ports and port groups',
    'reservation, seq': 'nodes that a conductor has locked, also a dead one',
    'name, seq': 'a node by name; sorted by name',
    'instance_uuid, seq': '`?instance_uuid=`, `?associated=`; the node of a server',
    'allocation_uuid, seq': 'the node of an allocation',
    'chassis_uuid, seq': 'nodes of a chassis',
    'created_at, seq': 'sorted by time of creation',
    'shard, seq': '`?shard=`, `?sharded=`; counts for `/v1/shards`',
    'parent_node, seq': 'children of a node; whether it has any',
    'lease_end, seq': 'nodes whose lease is over',
    'handover_uuid, seq': 'nodes that are being handed over',
    'resource_class, provision_state, instance_uuid, seq': 'candidates of an allocation',
    unique_name: 'one node a name',
    unique_instance_uuid: 'one node an instance',
    unique_allocation_uuid: 'one node an allocation',
  },
  allocations: {
    about: 'allocations',
    seq: 'every list in the order of creation',
    'name, seq': 'an allocation by name',
    'owner, seq': 'lists of a project',
    'node_uuid, seq': '`?node=`',
    'state, seq': '`?state=`; those under way; counts for `tenure_inventory_allocations`',
    'resource_class, seq': '`?resource_class=`',
    unique_name: 'one allocation a name',
  },
  leases: {
    about: 'leases',
    seq: 'every list in the order of creation',
    'owner, seq': 'lists of a project',
    'lessee, seq': 'lists of a project',
    'node_uuid, seq': 'leases of a node',
    'status, seq': '`?status=`; counts for `tenure_inventory_leases`',
    'start_time, seq': 'sorted by begin',
    'status, start_time, seq': 'leases that are to begin',
  },
  handovers: {
    about: 'handovers',
    seq: 'every list in the order of creation',
    'node_uuid, seq': 'handovers of a node',
    'status, seq': 'those under way; counts for `tenure_inventory_handovers`',
    'lease_uuid, seq': 'the handover of a lease',
    'owner, seq': 'lists of a project',
    'from_project, seq': 'lists of a project',
    'to_project, seq': 'lists of a project',
    unique_node_uuid_number: 'one handover a number of a node',
  },
  conductors: {
    about: 'conductors',
    seq: 'all of them',
    'hostname, seq': 'one by name',
    unique_hostname: 'one record a conductor',
  },
  servers: {
    about: 'servers',
    seq: 'lists of all projects',
    'project_id, seq': 'lists of a project',
    'user_id, seq': '`?user_id=`',
    'name, seq': '`?name=`',
    'status, seq': '`?status=`',
    'vm_state, seq': '`?vm_state=`',
    'task_state, seq': 'servers that something is being done with',
    'node_uuid, seq': 'the server on a node',
    'project_id, status, seq': '`?status=` of a project',
    'project_id, created_at, seq': 'lists of a project sorted by time of creation',
  },
  keypairs: {
    about: 'key pairs',
    seq: 'export',
    'user_id, name, seq': 'one by name; those of a user, sorted by name',
    unique_user_id_name: 'one key pair a name of a user',
  },
  ports: {
    about: 'ports',
    seq: 'every list in the order of creation',
    'node_uuid, seq': 'ports of a node; of a project’s nodes',
    'portgroup_uuid, seq': 'ports of a port group',
    'address, seq': '`?address=`; lookup of a machine by its addresses',
    'name, seq': 'a port by name',
    unique_address: 'one port an address',
    unique_name: 'one port a name',
  },
  portgroups: {
    about: 'port groups',
    seq: 'every list in the order of creation',
    'node_uuid, seq': 'those of a node; of a project’s nodes',
    'address, seq': '`?address=`',
    'name, seq': 'one by name',
    unique_address: 'one port group an address',
    unique_name: 'one port group a name',
  },
  chassis: { about: 'chassis', seq: 'every list' },
  volume_connectors: {
    about: 'volume connectors',
    seq: 'every list in the order of creation',
    'node_uuid, seq': 'those of a node; of a project’s nodes',
    'connector_id, seq': 'whose an initiator is',
    unique_type_connector_id: 'one connector a type and id',
  },
  volume_targets: {
    about: 'volume targets',
    seq: 'every list in the order of creation',
    'node_uuid, seq': 'those of a node; of a project’s nodes',
    'volume_id, seq': 'whose a volume is',
    unique_node_uuid_boot_index: 'one target a node and boot index',
  },
  deploy_templates: {
    about: 'deploy templates',
    seq: 'every list',
    'name, seq': 'one by name; those that traits name',
    unique_name: 'one template a name',
  },
  node_documents: {
    about: 'BIOS settings, firmware and inventories of nodes, by `<node>:<kind>`',
    seq: 'export',
    'node_uuid, seq': 'those of a node that is deleted',
  },
  node_history: {
    about: 'what happened to nodes, at most 300 entries each',
    seq: 'export',
    'node_uuid, seq': 'the history of a node',
  },
  claims: {
    about: 'whose a VIF, volume or initiator is, by `<kind>:<id>`',
    seq: 'export; `tenure claims list`',
  },
  departures: { about: 'nodes that are being deleted', seq: 'what a crash left to be finished' },
  quotas: {
    about: 'limits that an operator set, by `default`, `project:<id>` or `user:<id>`',
    seq: 'none; every kind has it',
  },
  project_usage: {
    about: 'what a project or user has stored, by `project:<id>` or `user:<id>`',
    seq: '`tenure quota show --all`; metrics',
  },
  decisions: {
    about: 'the decision log, if it is sent on (docs/decisions.md)',
    'input.subject.user_id, timestamp desc': 'decisions about a user',
    'input.subject.project_id, timestamp desc': 'decisions about a project',
    'input.resource.id, timestamp desc': 'decisions about a resource',
    'input.action, timestamp desc': 'decisions about an action',
    'timestamp desc': 'the newest; removal of the old',
  },
};

/** The default description of an index: the filter of its field. */
const CATALOGUES = { nodes: NODE_CATALOGUE, allocations: ALLOCATION_CATALOGUE };
const filtersOf = (collection) =>
  Object.fromEntries(
    Object.values(CATALOGUES[collection]?.filters ?? {}).map(({ name, field }) => [
      `${field}, seq`,
      `\`?${name}=\``,
    ]),
  );

const wanted = [
  ...ALL_SHAPES.map((shape) => ({
    collection: shape.name,
    indexes: indexesOf(shape).map(({ fields, unique }) => ({ text: fields.join(', '), unique })),
  })),
  {
    collection: 'decisions',
    indexes: DECISION_INDEXES.map(({ key }) => ({
      text: Object.entries(key)
        .map(([field, direction]) => (direction === -1 ? `${field} desc` : field))
        .join(', '),
      unique: false,
    })),
  },
];

const problems = wanted.flatMap(({ collection, indexes }) => {
  const { about, ...served } = SERVES[collection] ?? {};
  const filtered = filtersOf(collection);
  const made = indexes.map(({ text }) => text);
  return [
    ...(about === undefined ? [`nothing is said of ${collection}`] : []),
    ...made
      .filter((text) => !(text in served) && filtered[text] === undefined)
      .map((text) => `${collection}: what for is ${text}?`),
    ...Object.keys(served)
      .filter((text) => !made.includes(text))
      .map((text) => `${collection}: there is no index ${text}`),
  ];
});
if (problems.length > 0) {
  console.error(`scripts/docs/mongodb-indexes.mjs:\n  ${problems.join('\n  ')}`);
  process.exit(1);
}

const servedBy = (collection, text) => SERVES[collection][text] ?? filtersOf(collection)[text];
const lists = wanted
  .map(({ collection, indexes }) =>
    [
      `**\`${collection}\`**: ${SERVES[collection].about}`,
      '',
      ...indexes.map(
        ({ text, unique }) =>
          `- \`${text}\`${unique ? ' (unique)' : ''}: ${servedBy(collection, text)}`,
      ),
    ].join('\n'),
  )
  .join('\n\n');
const page = readFileSync(PAGE, 'utf8');
const [before, rest] = page.split(BEGIN);
const [, after] = (rest ?? '').split(END);
if (after === undefined) throw new Error('docs/mongodb.md lacks the marks of the lists');
await writePage(
  'docs/mongodb.md',
  `${before}${BEGIN}\n\n${lists}\n\n${END}${after}`,
  'node scripts/docs/mongodb-indexes.mjs',
);
