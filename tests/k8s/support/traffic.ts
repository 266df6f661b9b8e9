import {
  containersOf,
  type Labels,
  type NetworkPolicy,
  ofKind,
  type Objects,
  type Peer,
  podLabelsOf,
  type PolicyRule,
  selects,
  type Workload,
  workloadsOf,
} from './objects.js';

type Direction = 'Ingress' | 'Egress';

const NAMESPACE: Labels = { 'kubernetes.io/metadata.name': 'tenure' };

/** `a -> b:port` for every two workloads and every port that the policies of one side let through. */
export function edgesLetThrough(direction: Direction, objects: Objects): ReadonlySet<string> {
  const workloads = workloadsOf(objects);
  const edges = workloads.flatMap((from) =>
    workloads.flatMap((target) =>
      portsOf(target)
        .map(({ containerPort }) => containerPort)
        .filter((port) =>
          direction === 'Egress'
            ? letsThrough(rulesFor(from, direction, objects), direction, target, { port, target })
            : letsThrough(rulesFor(target, direction, objects), direction, from, { port, target }),
        )
        .map((port) => `${from.metadata.name} -> ${target.metadata.name}:${port}`),
    ),
  );
  return new Set(edges);
}

/** The peers outside Tenure that a workload's pods may reach, or be reached by: `peer port`. */
export const outsideOf = (
  workload: Workload,
  direction: Direction,
  objects: Objects,
): ReadonlySet<string> =>
  new Set(
    (rulesFor(workload, direction, objects) ?? [{}]).flatMap((rule) => {
      const peers = peersOf(rule, direction)?.map(peerName) ?? ['everybody'];
      return peers
        .filter((peer) => peer !== undefined)
        .flatMap((peer) =>
          (rule.ports ?? [{}]).map(
            ({ port }: { readonly port?: string | number }) => `${peer} ${portName(port)}`,
          ),
        );
    }),
  );

const portsOf = (workload: Workload) =>
  containersOf(workload.spec.template).flatMap(({ ports }) => ports ?? []);

const letsThrough = (
  rules: readonly PolicyRule[] | undefined,
  direction: Direction,
  other: Workload,
  { port, target }: { readonly port: number; readonly target: Workload },
): boolean =>
  rules === undefined ||
  rules.some(
    (rule) =>
      takesPort(rule, port, target) &&
      (peersOf(rule, direction)?.some((peer) => isPeer(peer, podLabelsOf(other))) ?? true),
  );

/** The rules of one direction that hold for a workload's pods; undefined when no policy speaks of it, and all is let through. */
function rulesFor(
  workload: Workload,
  direction: Direction,
  objects: Objects,
): readonly PolicyRule[] | undefined {
  const policies = ofKind(objects, 'NetworkPolicy').filter(
    ({ spec }) =>
      spec.policyTypes.includes(direction) && selects(spec.podSelector, podLabelsOf(workload)),
  );
  return policies.length === 0
    ? undefined
    : policies.flatMap((policy) => rulesOf(policy, direction));
}

const takesPort = (rule: PolicyRule, port: number, target: Workload): boolean =>
  rule.ports === undefined ||
  rule.ports.some(
    (each) =>
      each.port === undefined ||
      each.port === port ||
      portsOf(target).some(
        ({ name, containerPort }) => name === each.port && containerPort === port,
      ),
  );

const peersOf = (rule: PolicyRule, direction: Direction): readonly Peer[] | undefined =>
  direction === 'Ingress' ? rule.from : rule.to;

const isPeer = ({ podSelector, namespaceSelector, ipBlock }: Peer, labels: Labels): boolean =>
  ipBlock === undefined &&
  (namespaceSelector === undefined || selects(namespaceSelector, NAMESPACE)) &&
  (podSelector === undefined || selects(podSelector, labels));

const rulesOf = (policy: NetworkPolicy, direction: Direction): readonly PolicyRule[] =>
  (direction === 'Ingress' ? policy.spec.ingress : policy.spec.egress) ?? [];

function peerName({ namespaceSelector, podSelector, ipBlock }: Peer): string | undefined {
  if (ipBlock !== undefined) return ipBlock.cidr;
  if (namespaceSelector === undefined) return undefined;
  const name = namespaceSelector.matchLabels?.['kubernetes.io/metadata.name'] ?? 'every namespace';
  const pods = podSelector?.matchLabels?.['k8s-app'];
  return pods === undefined ? name : `${name}/${pods}`;
}

const portName = (port: string | number | undefined): string => String(port ?? 'every port');
