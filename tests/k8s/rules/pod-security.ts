import {
  type Container,
  containersOf,
  type Handler,
  type Objects,
  type PodSpec,
  type SecurityContext,
  type Workload,
  workloadsOf,
} from '../support/objects.js';

// The Pod Security Standard `restricted`, written out: a Deployment is taken whatever its pods look like, and only they are refused.

type Check = readonly [isBroken: boolean, problem: string];

const VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);
const SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]);
const SECCOMP: readonly (string | undefined)[] = ['RuntimeDefault', 'Localhost'];
const APP_ARMOR: readonly (string | undefined)[] = [undefined, 'RuntimeDefault', 'Localhost'];
const SELINUX: readonly string[] = [
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
];
/** The user of the images. */
const USER = 10_001;

/** Returns the violations of the standard `restricted`, and of our stricter rules, by these pods. */
export const podSecurityProblems = (objects: Objects): readonly string[] =>
  workloadsOf(objects).flatMap(ofWorkload);

const ofWorkload = ({ metadata: { name }, spec: { template } }: Workload): readonly string[] => [
  ...podProblems(template.spec).map((problem) => `${name} ${problem}`),
  ...containersOf(template).flatMap((container) =>
    containerProblems(container, template.spec).map(
      (problem) => `${name}/${container.name} ${problem}`,
    ),
  ),
];

const podProblems = (spec: PodSpec): readonly string[] =>
  broken([
    [spec.hostNetwork === true, 'is in the network of the host'],
    [spec.hostPID === true, 'sees the processes of the host'],
    [spec.hostIPC === true, 'shares memory with the host'],
    [spec.automountServiceAccountToken !== false, 'has a token for the cluster'],
    // Not of the standard: a Service named gateway would set GATEWAY_PORT.
    [spec.enableServiceLinks !== false, 'gets variables of Services'],
    [spec.securityContext?.runAsNonRoot === false, 'may run as root'],
    ...(spec.securityContext?.sysctls ?? []).map(({ name }): Check => [
      !SYSCTLS.has(name),
      `sets ${name}`,
    ]),
    ...(spec.volumes ?? []).flatMap((volume) =>
      Object.keys(volume)
        .filter((key) => key !== 'name')
        .map((kind): Check => [!VOLUMES.has(kind), `has a volume of the kind ${kind}`]),
    ),
    ...sharedChecks(spec.securityContext ?? {}),
  ]);

function containerProblems(container: Container, spec: PodSpec): readonly string[] {
  const own = container.securityContext ?? {};
  const pod = spec.securityContext ?? {};
  const user = own.runAsUser ?? pod.runAsUser;
  return broken([
    ...privilegeChecks(own),
    [(own.runAsNonRoot ?? pod.runAsNonRoot) !== true, 'may run as root'],
    [user !== USER, `runs as ${String(user ?? 'whoever the image says')}, not as ${USER}`],
    [
      !SECCOMP.includes(own.seccompProfile?.type ?? pod.seccompProfile?.type),
      'has no seccomp profile',
    ],
    [
      (container.ports ?? []).some(({ hostPort = 0 }) => hostPort !== 0),
      'takes a port of the host',
    ],
    [handlersOf(container).some(isElsewhere), 'has a probe that goes elsewhere'],
    ...sharedChecks(own),
  ]);
}

const broken = (checks: readonly Check[]): readonly string[] =>
  checks.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []));

const sharedChecks = (context: SecurityContext): readonly Check[] => [
  [context.windowsOptions?.hostProcess === true, 'is a process of the host'],
  [!APP_ARMOR.includes(context.appArmorProfile?.type), 'is not under AppArmor'],
  [!SELINUX.includes(context.seLinuxOptions?.type ?? ''), 'has an SELinux type of its own'],
  [
    context.seLinuxOptions?.user !== undefined || context.seLinuxOptions?.role !== undefined,
    'has an SELinux user or role of its own',
  ],
];

const privilegeChecks = (own: SecurityContext): readonly Check[] => [
  [own.privileged === true, 'is privileged'],
  [own.allowPrivilegeEscalation !== false, 'may gain privileges'],
  [own.capabilities?.drop?.includes('ALL') !== true, 'keeps capabilities'],
  [
    own.capabilities?.add?.some((name) => name !== 'NET_BIND_SERVICE') === true,
    'is given capabilities',
  ],
  [(own.procMount ?? 'Default') !== 'Default', 'sees an unmasked /proc'],
  // Not of the standard.
  [own.readOnlyRootFilesystem !== true, 'may write to its own files'],
];

const handlersOf = (container: Container): readonly Handler[] =>
  [
    container.startupProbe,
    container.livenessProbe,
    container.readinessProbe,
    container.lifecycle?.preStop,
    container.lifecycle?.postStart,
  ].filter((handler) => handler !== undefined);

const isElsewhere = ({ httpGet, tcpSocket }: Handler): boolean =>
  (httpGet?.host ?? tcpSocket?.host ?? '') !== '';
