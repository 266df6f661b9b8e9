// Enforces the NetworkPolicies of a one-node cluster with iptables: what goes to or from a pod that a policy selects, and no policy
// lets through, is dropped. It runs in the node's network namespace; every pod has a link of its own to the node, so that all
// passes here. Traffic from the node itself (the kubelet's probes) always passes, as Kubernetes wants it.
// Usage: KUBECONFIG=… node policies.mjs
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const POLL_MS = 500;

const list = async (what) => {
  const { stdout } = await run('kubectl', ['get', what, '-A', '-o', 'json'], {
    maxBuffer: 1 << 28,
  });
  return JSON.parse(stdout).items;
};

const holds = (labels, { key, operator, values = [] }) => {
  const isThere = Object.hasOwn(labels, key);
  if (operator === 'Exists') return isThere;
  if (operator === 'DoesNotExist') return !isThere;
  const isOneOf = isThere && values.includes(labels[key]);
  return operator === 'In' ? isOneOf : !isOneOf;
};

const selects = ({ matchLabels = {}, matchExpressions = [] }, labels = {}) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every((expression) => holds(labels, expression));

const isLive = (pod) =>
  pod.status.podIP !== undefined &&
  pod.spec.hostNetwork !== true &&
  !['Succeeded', 'Failed'].includes(pod.status.phase);

/** Addresses that a peer of a rule selects; `pods` are those of the whole cluster. */
const addressesOf = (peer, policy, { pods, namespaces }) => {
  if (peer.ipBlock !== undefined) {
    if (peer.ipBlock.except !== undefined) throw new Error('ipBlock.except is not supported here');
    return [peer.ipBlock.cidr];
  }
  const isMeant = (pod) =>
    peer.namespaceSelector === undefined
      ? pod.metadata.namespace === policy.metadata.namespace
      : selects(peer.namespaceSelector, namespaces.get(pod.metadata.namespace));
  return pods
    .filter((pod) => isMeant(pod) && selects(peer.podSelector ?? {}, pod.metadata.labels))
    .map((pod) => pod.status.podIP);
};

const numberOf = (port, pod) =>
  typeof port === 'number'
    ? port
    : pod.spec.containers.flatMap((each) => each.ports ?? []).find((each) => each.name === port)
        ?.containerPort;

const portMatches = (ports, pod) =>
  ports === undefined
    ? ['']
    : ports.map(({ protocol = 'TCP', port, endPort }) => {
        if (port === undefined) return ` -p ${protocol.toLowerCase()}`;
        const range = endPort === undefined ? '' : `:${String(endPort)}`;
        return ` -p ${protocol.toLowerCase()} --dport ${String(numberOf(port, pod) ?? 0)}${range}`;
      });

/** The lines of one direction of one pod; none when no policy isolates it. */
const linesOf = (pod, direction, chain, cluster) => {
  const policies = cluster.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.metadata.namespace &&
      (spec.policyTypes ?? ['Ingress']).includes(direction.type) &&
      selects(spec.podSelector, pod.metadata.labels),
  );
  if (policies.length === 0) return undefined;
  const lines = policies.flatMap((policy) =>
    (policy.spec[direction.rules] ?? []).flatMap((rule) => {
      const peers = rule[direction.peers];
      const addresses =
        peers === undefined || peers.length === 0
          ? ['0.0.0.0/0']
          : peers.flatMap((peer) => addressesOf(peer, policy, cluster));
      // A name of a port is one of the pod that is spoken to.
      const spokenTo = (address) =>
        direction.type === 'Ingress'
          ? pod
          : (cluster.pods.find((each) => each.status.podIP === address) ?? pod);
      return addresses.flatMap((address) =>
        portMatches(rule.ports, spokenTo(address)).map(
          (match) => `-A ${chain} ${direction.other} ${address}${match} -j RETURN`,
        ),
      );
    }),
  );
  return [...lines, `-A ${chain} -j DROP`];
};

const DIRECTIONS = [
  { type: 'Egress', rules: 'egress', peers: 'to', own: '-s', other: '-d' },
  { type: 'Ingress', rules: 'ingress', peers: 'from', own: '-d', other: '-s' },
];

const tableOf = (cluster) => {
  const chains = [];
  const lines = ['-A NP -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN'];
  for (const pod of cluster.pods)
    for (const direction of DIRECTIONS) {
      const chain = `NP-${direction.type[0]}-${pod.status.podIP}`;
      const found = linesOf(pod, direction, chain, cluster);
      if (found === undefined) continue;
      chains.push(chain);
      lines.push(...found, `-A NP ${direction.own} ${pod.status.podIP} -j ${chain}`);
    }
  return { chains, lines };
};

const apply = async ({ chains, lines }, old) => {
  const text = [
    '*filter',
    ':NP - [0:0]',
    ...[...new Set([...chains, ...old])].map((chain) => `:${chain} - [0:0]`),
    ...lines,
    'COMMIT',
    '',
  ].join('\n');
  const child = spawn('iptables-restore', ['--noflush', '-w'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  child.stdin.end(text);
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`iptables-restore refused:\n${text}`);
};

const look = async () => {
  const [pods, namespaces, policies] = await Promise.all(
    ['pods', 'namespaces', 'networkpolicies'].map(list),
  );
  return {
    pods: pods.filter(isLive),
    namespaces: new Map(namespaces.map(({ metadata }) => [metadata.name, { ...metadata.labels }])),
    policies,
  };
};

await run('iptables', ['-w', '-N', 'NP']);
for (const chain of ['FORWARD', 'INPUT'])
  await run('iptables', ['-w', '-I', chain, '1', '-j', 'NP']);
for (let last = '', chains = []; ; await sleep(POLL_MS)) {
  const table = tableOf(await look());
  const text = JSON.stringify(table);
  if (text === last) continue;
  await apply(table, chains);
  console.log(`${table.chains.length} chains, ${table.lines.length} lines`);
  last = text;
  chains = table.chains;
}
