import { formatMicroversion, MAX_MICROVERSION, MIN_MICROVERSION } from '@tenure/contracts';

interface Link {
  readonly href: string;
  readonly rel: string;
  readonly type?: string;
}

const FIRST = ['chassis', 'nodes', 'ports', 'drivers'] as const;
// First microversion (minor) of each resource that came later.
const LATER: Readonly<Record<string, number>> = {
  portgroups: 23,
  volume: 32,
  lookup: 22,
  heartbeat: 22,
  conductors: 49,
  allocations: 52,
  events: 54,
  deploy_templates: 55,
  shards: 82,
  runbooks: 92,
  continue_inspection: 84,
};

/** The document at `/`. */
export const rootView = (base: string): Readonly<Record<string, unknown>> => ({
  name: 'OpenStack Ironic API',
  description:
    'Ironic is an OpenStack project which enables the provision and management of baremetal machines.',
  default_version: version(base),
  versions: [version(base)],
});

/** The document at `/v1`: the resources of the negotiated microversion (minor). */
export function v1View(base: string, minor: number): Readonly<Record<string, unknown>> {
  const later = Object.entries(LATER)
    .filter(([, since]) => since <= minor)
    .map(([name]) => name);
  return {
    id: 'v1',
    links: [
      { href: `${base}/v1/`, rel: 'self' },
      {
        href: 'https://docs.openstack.org/ironic/latest/contributor/webapi.html',
        rel: 'describedby',
        type: 'text/html',
      },
    ] satisfies readonly Link[],
    media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
    ...Object.fromEntries(FIRST.map((name) => [name, resource(base, name)])),
    version: version(base),
    ...Object.fromEntries(later.map((name) => [name, resource(base, name)])),
  };
}

const version = (base: string) => ({
  id: 'v1',
  links: [{ href: `${base}/v1/`, rel: 'self' }],
  status: 'CURRENT',
  min_version: formatMicroversion(MIN_MICROVERSION),
  version: formatMicroversion(MAX_MICROVERSION),
});

const resource = (base: string, name: string): readonly Link[] => [
  { href: `${base}/v1/${name}/`, rel: 'self' },
  { href: `${base}/${name}/`, rel: 'bookmark' },
];
