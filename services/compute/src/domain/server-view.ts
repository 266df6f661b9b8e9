import { createHash } from 'node:crypto';
import { type ServerRecord } from '@tenure/contracts';
import { extraSpecsOf } from './flavor.js';
import { novaMoment, usageMoment } from './moment.js';

type Members = Readonly<Record<string, unknown>>;

/** Inputs of a view beside the record. */
export interface ViewOptions {
  readonly minor: number;
  /** `http://host:port`. */
  readonly publicBase: string;
}

/** First microversion (minor) of members that depend on it. */
const LOCKED_SINCE = 9;
const DESCRIPTION_SINCE = 19;
const TAGS_SINCE = 26;
const FLAVOR_EMBEDDED_SINCE = 47;
const CERTIFICATES_SINCE = 63;
const GROUPS_SINCE = 71;
const LOCK_REASON_SINCE = 73;
const HOST_NAME_SINCE = 90;

const PROGRESSING: ReadonlySet<string> = new Set(['ACTIVE', 'BUILD', 'REBUILD']);

export const serverUrl = (publicBase: string, uuid: string): string =>
  `${publicBase}/v2.1/servers/${uuid}`;

export const linksTo = (publicBase: string, path: string): readonly Members[] => [
  { rel: 'self', href: `${publicBase}/v2.1/${path}` },
  { rel: 'bookmark', href: `${publicBase}/${path}` },
];

/** The members of a server in every list. */
export const serverReference = (
  { uuid, name }: Pick<ServerRecord, 'uuid' | 'name'>,
  { publicBase }: ViewOptions,
): Members => ({ id: uuid, name, links: linksTo(publicBase, `servers/${uuid}`) });

/** A server as a client of this microversion sees it in a detailed list. */
export const serverDetail = (server: ServerRecord, options: ViewOptions): Members => ({
  ...serverReference(server, options),
  ...stateMembers(server),
  tenant_id: server.project_id,
  user_id: server.user_id,
  metadata: server.metadata,
  hostId: hostIdOf(server),
  image: {
    id: server.image_ref,
    links: [{ rel: 'bookmark', href: server.image_ref }],
  },
  flavor: flavorMembers(server, options),
  created: novaMoment(server.created_at),
  updated: novaMoment(server.updated_at),
  addresses: {},
  accessIPv4: '',
  accessIPv6: '',
  'OS-DCF:diskConfig': 'MANUAL',
  'OS-EXT-AZ:availability_zone': server.node_uuid === null ? '' : server.availability_zone,
  config_drive: server.config_drive ? 'True' : '',
  key_name: server.key_name,
  'os-extended-volumes:volumes_attached': [],
  ...byMicroversion(server, options),
});

/** The same, of one server. */
export const serverView = (server: ServerRecord, options: ViewOptions): Members => ({
  ...serverDetail(server, options),
  ...(options.minor >= GROUPS_SINCE && { server_groups: [] }),
});

/** The answer to the creation of a server. */
export const createdView = (
  { uuid }: Pick<ServerRecord, 'uuid'>,
  { publicBase }: ViewOptions,
  adminPass: string,
): Members => ({
  id: uuid,
  links: linksTo(publicBase, `servers/${uuid}`),
  'OS-DCF:diskConfig': 'MANUAL',
  security_groups: [{ name: 'default' }],
  adminPass,
});

const stateMembers = (server: ServerRecord): Members => ({
  status: server.status,
  'OS-EXT-STS:task_state': server.task_state,
  'OS-EXT-STS:vm_state': server.vm_state,
  'OS-EXT-STS:power_state': server.power_state,
  ...(PROGRESSING.has(server.status) && { progress: 0 }),
  ...(server.status === 'ERROR' &&
    server.fault !== null && {
      fault: { ...server.fault, created: novaMoment(server.fault.created) },
    }),
  'OS-SRV-USG:launched_at': server.launched_at === null ? null : usageMoment(server.launched_at),
  'OS-SRV-USG:terminated_at': null,
});

/** Identifies the machine of a server, to its project alone: servers on one machine share the id. */
const hostIdOf = ({ project_id: project, node_uuid: node }: ServerRecord): string =>
  node === null ? '' : createHash('sha224').update(`${project}${node}`).digest('hex');

const flavorMembers = (
  { flavor_id: id, flavor, resource_class, traits }: ServerRecord,
  { minor, publicBase }: ViewOptions,
): Members =>
  minor < FLAVOR_EMBEDDED_SINCE
    ? { id, links: [{ rel: 'bookmark', href: `${publicBase}/flavors/${id}` }] }
    : {
        ...flavor,
        ephemeral: 0,
        swap: 0,
        original_name: id,
        extra_specs: extraSpecsOf({ resource_class, traits }),
      };

const byMicroversion = (server: ServerRecord, { minor }: ViewOptions): Members => ({
  ...(minor >= LOCKED_SINCE && { locked: server.locked_by !== null }),
  ...(minor >= DESCRIPTION_SINCE && { description: server.description }),
  ...(minor >= TAGS_SINCE && { tags: server.tags }),
  ...(minor >= CERTIFICATES_SINCE && { trusted_image_certificates: null }),
  ...(minor >= LOCK_REASON_SINCE && { locked_reason: server.locked_reason }),
  ...(minor >= HOST_NAME_SINCE && { 'OS-EXT-SRV-ATTR:hostname': server.hostname }),
});
