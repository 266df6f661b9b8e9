/** A question that one of the calls leads to, and the fields that its answer must leave visible. */
export interface Question {
  readonly action: string;
  /** Type of the resource; it has the owner and lessee of its node. */
  readonly type: 'node' | 'port' | 'portgroup' | 'volume' | 'volume_target' | 'none';
  /** The fields that the body writes, as JSON pointers. */
  readonly fields?: readonly string[];
  /** Members of a node that must be visible; without them Nova works on wrong facts. */
  readonly visibleFields?: readonly string[];
}

/** One of the calls of nova-compute's Ironic driver. */
export interface Call {
  /** Place in the order in which the driver makes them. */
  readonly number: number;
  readonly what: string;
  readonly questions: readonly Question[];
}

const onNode = (action: string, more: Partial<Question> = {}): Question => ({
  action: `baremetal:node:${action}`,
  type: 'node',
  ...more,
});
const writing = (...fields: readonly string[]): Question => onNode('update', { fields });
const provision = onNode('set_provision_state');
const readNode = onNode('get', { visibleFields: ['last_error', 'instance_uuid', 'properties'] });
const list = (noun: string): Question => ({ action: `baremetal:${noun}:list`, type: 'none' });

const DEPLOY_PARAMETERS = [
  'image_source',
  'root_gb',
  'swap_mb',
  'display_name',
  'vcpus',
  'memory_mb',
  'local_gb',
  'project_id',
  'user_id',
  'flavor_name',
  'traits',
].map((name) => `/instance_info/${name}`);

/** The calls of nova-compute, in its order. Discovery, the first call, needs no decision. */
export const NOVA_CALLS: readonly Call[] = [
  { number: 1, what: 'discover the API', questions: [] },
  { number: 2, what: 'read a node', questions: [readNode] },
  { number: 3, what: 'find the node of an instance', questions: [list('node')] },
  { number: 4, what: 'list the whole fleet', questions: [list('node')] },
  { number: 5, what: 'claim a node', questions: [writing('/instance_uuid')] },
  { number: 6, what: 'write deploy parameters', questions: [writing(...DEPLOY_PARAMETERS)] },
  {
    number: 7,
    what: 'create, list and delete volume targets',
    questions: [
      {
        action: 'baremetal:volume:create',
        type: 'volume_target',
        fields: ['/node_uuid', '/volume_type', '/boot_index', '/volume_id', '/properties'],
      },
      list('volume'),
      { action: 'baremetal:volume:delete', type: 'volume_target' },
    ],
  },
  { number: 8, what: 'validate a node', questions: [onNode('validate')] },
  {
    number: 9,
    what: 'list ports and port groups of a node',
    questions: [list('port'), list('portgroup')],
  },
  { number: 10, what: 'deploy', questions: [provision, readNode] },
  { number: 11, what: 'undeploy', questions: [provision, readNode] },
  { number: 12, what: 'rebuild', questions: [writing(...DEPLOY_PARAMETERS), provision] },
  { number: 13, what: 'rescue and unrescue', questions: [provision] },
  {
    number: 14,
    what: 'clean up after a failed spawn',
    questions: [writing('/instance_uuid', '/instance_info')],
  },
  { number: 15, what: 'switch power', questions: [onNode('set_power_state')] },
  { number: 16, what: 'attach an interface', questions: [onNode('vif:attach')] },
  { number: 17, what: 'detach an interface', questions: [onNode('vif:detach')] },
  {
    number: 18,
    what: 'use the console',
    questions: [
      onNode('get_console'),
      onNode('set_console_state'),
      onNode('get', { visibleFields: ['driver_internal_info'] }),
    ],
  },
  { number: 19, what: 'inject an NMI', questions: [onNode('inject_nmi')] },
  { number: 20, what: 'list volume connectors', questions: [list('volume')] },
  { number: 21, what: 'find a port by its address', questions: [list('portgroup'), list('port')] },
];

/** Calls that the account must be refused: Nova never makes them, so nobody with its password should. */
export const NOVA_NEVER: readonly Call[] = [
  {
    number: 1,
    what: 'create a node',
    questions: [{ action: 'baremetal:node:create', type: 'none' }],
  },
  { number: 2, what: 'delete a node', questions: [onNode('delete')] },
  {
    number: 3,
    what: 'create a port',
    questions: [{ action: 'baremetal:port:create', type: 'port' }],
  },
  {
    number: 4,
    what: 'delete a port',
    questions: [{ action: 'baremetal:port:delete', type: 'port' }],
  },
  { number: 5, what: 'set traits', questions: [onNode('traits:set')] },
  { number: 6, what: 'call vendor passthru', questions: [onNode('vendor_passthru')] },
  {
    number: 7,
    what: 'create a chassis',
    questions: [{ action: 'baremetal:chassis:create', type: 'none' }],
  },
  { number: 8, what: 'change the owner of a node', questions: [writing('/owner')] },
  { number: 9, what: 'change the shard of a node', questions: [writing('/shard')] },
];
