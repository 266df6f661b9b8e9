import { environmentsIn, type Environment } from '../support/environments.js';
import { ofKind, type Objects, type Workload, workloadsOf } from '../support/objects.js';
import { edgesLetThrough, outsideOf } from '../support/traffic.js';
import { targetsOf } from './ports.js';

/** The callers and callees, by docs/how-tenure-works.md. */
const EDGES: readonly string[] = [
  'gateway -> pdp:8181',
  'gateway -> inventory:8182',
  'gateway -> conductor:8183',
  'gateway -> allocation:8184',
  'gateway -> compute:8185',
  'conductor -> inventory:8182',
  'conductor -> conductor:8183',
  'allocation -> inventory:8182',
  'compute -> inventory:8182',
  'compute -> allocation:8184',
  'compute -> conductor:8183',
];

/** Addresses of our own that other systems get. */
const CONFIGURED: readonly string[] = [
  'GATEWAY_PUBLIC_URL',
  'PDP_PUBLIC_URL',
  'PDP_CONSOLE_URL',
  'CONDUCTOR_MEDIA_URL',
  'CONDUCTOR_AGENT_API_URL',
];

/** Files with addresses outside, and the port that these have. */
const IN_FILES: Readonly<Record<string, number>> = {
  MONGODB_URI_FILE: 27_017,
  PDP_DECISION_LOG_MONGODB_URI_FILE: 27_017,
  REDIS_URL_FILE: 6379,
};

/** Targets that no variable names: BMCs (Redfish, serial consoles), servers of images, and agents, whose addresses the nodes have. */
const BY_NODES: Readonly<Record<string, readonly number[]>> = { conductor: [443, 22, 9999] };

const DNS = 'kube-system/kube-dns 53';
const MONITORING = 'monitoring admin';
/** Ports that are open to other namespaces: any namespace may be the ingress controller's, but these ports only. */
const OPEN_PORTS: Readonly<Record<string, readonly string[]>> = {
  gateway: ['6385'],
  pdp: ['admin'],
};
/** Ports that networks of machines and of their BMCs may reach, and no namespace. */
const OPEN_PORTS_OF_MACHINES: Readonly<Record<string, readonly string[]>> = {
  gateway: ['6388'],
  conductor: ['8193'],
};

interface Needs {
  readonly edges: readonly string[];
  readonly outside: ReadonlySet<number>;
}

const WIDEST = 16;

/** Calls that the policies do not let through, and what they let through that nobody calls. */
export const edgesProblems = (objects: Objects): readonly string[] => [
  ...edgeProblems(objects),
  ...workloadsOf(objects).flatMap((workload) => [
    ...outProblems(workload, objects),
    ...inProblems(workload, objects),
  ]),
];

function edgeProblems(objects: Objects): readonly string[] {
  const configured = workloadsOf(objects).flatMap(
    ({ metadata }) => needsOf(metadata.name, objects).edges,
  );
  const out = edgesLetThrough('Egress', objects);
  const into = edgesLetThrough('Ingress', objects);
  return [
    ...onlyIn(configured, EDGES).map((edge) => `${edge} is configured, and nobody may`),
    ...onlyIn(EDGES, configured).map((edge) => `${edge} is needed, and no variable says where`),
    ...onlyIn(EDGES, out).map((edge) => `${edge} is not let out`),
    ...onlyIn(EDGES, into).map((edge) => `${edge} is not let in`),
    ...onlyIn(out, EDGES).map((edge) => `${edge} is let out, and nobody needs it`),
    ...onlyIn(into, EDGES).map((edge) => `${edge} is let in, and nobody needs it`),
  ];
}

function outProblems(workload: Workload, objects: Objects): readonly string[] {
  const { name } = workload.metadata;
  const needs = needsOf(name, objects);
  const reached = [...outsideOf(workload, 'Egress', objects)];
  const dns = reached.includes(DNS);
  const others = reached.filter((each) => each !== DNS);
  const allowed = new Set([...needs.outside, ...(BY_NODES[name] ?? [])]);
  const callsByName = needs.edges.length + needs.outside.size > 0;
  return [
    ...(callsByName && !dns ? [`${name} calls by name, and may not ask for addresses`] : []),
    ...(dns && !callsByName ? [`${name} may ask for addresses, and calls nobody`] : []),
    ...[...needs.outside]
      .filter((port) => !others.map(portIn).includes(port))
      .map((port) => `${name} has to reach port ${port} outside, and may not`),
    ...others
      .filter((each) => !allowed.has(portIn(each)))
      .map((each) => `${name} may reach ${each}, and nothing says what for`),
    ...others
      .filter((each) => !isNarrow(each.split(' ')[0] ?? ''))
      .map((each) => `${name} may reach ${each}, which is not narrow`),
  ];
}

function inProblems(workload: Workload, objects: Objects): readonly string[] {
  const { name } = workload.metadata;
  const reaching = [...outsideOf(workload, 'Ingress', objects)];
  return [
    ...(reaching.includes(MONITORING) ? [] : [`nobody may read the metrics of ${name}`]),
    ...reaching
      .filter((each) => each !== MONITORING && !isOpenPort(name, each))
      .map((each) => `${name} may be reached by ${each}, and nothing says what for`),
  ];
}

function needsOf(name: string, objects: Objects): Needs {
  const environments = environmentsIn(objects).filter(({ part }) => part === name);
  const urls = environments.flatMap(urlsIn);
  const files = environments
    .flatMap(({ variables }) => variables)
    .flatMap(([variable]) => IN_FILES[variable] ?? []);
  const edges = urls.flatMap((url) => {
    const service = serviceOf(url, objects);
    return (service === undefined ? [] : targetsOf(service, objects)).map(
      ({ metadata }) => `${name} -> ${metadata.name}:${portOf(url)}`,
    );
  });
  const outside = urls.filter((url) => serviceOf(url, objects) === undefined).map(portOf);
  return { edges, outside: new Set([...outside, ...files]) };
}

function onlyIn(some: Iterable<string>, others: Iterable<string>): readonly string[] {
  const allowed = new Set(others);
  return [...new Set(some)].filter((each) => !allowed.has(each));
}

const urlsIn = ({ variables }: Environment): readonly URL[] =>
  variables
    .filter(([name, value]) => isAddress(name) && value !== '')
    .flatMap(([, value]) => value.split(',').map((url) => new URL(url.trim())));

/** `name`, `pod.name` and longer forms of a Service in the build. */
const serviceOf = ({ hostname }: URL, objects: Objects) =>
  ofKind(objects, 'Service').find(
    ({ metadata: { name } }) => hostname === name || hostname.split('.')[1] === name,
  );

const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));

const isAddress = (name: string): boolean =>
  (name.endsWith('_URL') || name === 'OTEL_EXPORTER_OTLP_ENDPOINT') && !CONFIGURED.includes(name);

const portIn = (reached: string): number => Number(reached.split(' ')[1]);

const isNarrow = (cidr: string): boolean => Number(cidr.split('/')[1] ?? 0) >= WIDEST;

function isOpenPort(name: string, reaching: string): boolean {
  const at = reaching.lastIndexOf(' ');
  const [peer, port] = [reaching.slice(0, at), reaching.slice(at + 1)];
  if (peer.includes('/') && isNarrow(peer))
    return OPEN_PORTS_OF_MACHINES[name]?.includes(port) === true;
  const isAnybody = ['everybody', 'every namespace'].includes(peer);
  return !isAnybody && OPEN_PORTS[name]?.includes(port) === true;
}
