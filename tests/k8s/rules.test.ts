import { describe, expect, it } from '@jest/globals';
import { edgesProblems } from './rules/edges.js';
import { namespaceProblems } from './rules/namespace.js';
import { podSecurityProblems } from './rules/pod-security.js';
import { portProblems } from './rules/ports.js';
import { referenceProblems } from './rules/references.js';
import { scalingProblems } from './rules/scaling.js';
import { workloadProblems } from './rules/workloads.js';
import { altered, without } from './support/altered.js';
import { installation } from './support/builds.js';
import { type KubeObject } from './support/objects.js';

// Each rule finds its violations: production with one error.

const production = installation('overlays/production');
const POD = '/spec/template/spec';
const OWN = `${POD}/containers/0`;

const gateway = 'Deployment/gateway';

type Row = readonly [at: string, to: unknown, problems: readonly string[], of?: string];

describe('the rule of the restricted standard', () => {
  it.each<Row>([
    [`${OWN}/securityContext/privileged`, true, ['gateway/gateway is privileged']],
    [
      `${OWN}/securityContext/allowPrivilegeEscalation`,
      undefined,
      ['gateway/gateway may gain privileges'],
    ],
    [
      `${OWN}/securityContext/capabilities/drop`,
      ['NET_RAW'],
      ['gateway/gateway keeps capabilities'],
    ],
    [
      `${OWN}/securityContext/capabilities/add`,
      ['NET_BIND_SERVICE', 'SYS_TIME'],
      ['gateway/gateway is given capabilities'],
    ],
    [
      `${OWN}/securityContext/readOnlyRootFilesystem`,
      false,
      ['gateway/gateway may write to its own files'],
    ],
    [`${OWN}/securityContext/runAsNonRoot`, false, ['gateway/gateway may run as root']],
    [`${OWN}/securityContext/runAsUser`, 0, ['gateway/gateway runs as 0, not as 10001']],
    [`${OWN}/securityContext/procMount`, 'Unmasked', ['gateway/gateway sees an unmasked /proc']],
    [
      `${OWN}/securityContext/seccompProfile/type`,
      'Unconfined',
      ['gateway/gateway has no seccomp profile'],
    ],
    [
      `${OWN}/securityContext/appArmorProfile`,
      { type: 'Unconfined' },
      ['gateway/gateway is not under AppArmor'],
    ],
    [
      `${OWN}/securityContext/seLinuxOptions`,
      { type: 'spc_t', user: 'system_u' },
      [
        'gateway/gateway has an SELinux type of its own',
        'gateway/gateway has an SELinux user or role of its own',
      ],
    ],
    [
      `${OWN}/securityContext/windowsOptions`,
      { hostProcess: true },
      ['gateway/gateway is a process of the host'],
    ],
    [`${OWN}/ports/0/hostPort`, 6385, ['gateway/gateway takes a port of the host']],
    [
      `${OWN}/livenessProbe/httpGet/host`,
      '192.0.2.1',
      ['gateway/gateway has a probe that goes elsewhere'],
    ],
    [`${POD}/hostNetwork`, true, ['gateway is in the network of the host']],
    [`${POD}/hostPID`, true, ['gateway sees the processes of the host']],
    [`${POD}/hostIPC`, true, ['gateway shares memory with the host']],
    [`${POD}/automountServiceAccountToken`, undefined, ['gateway has a token for the cluster']],
    [`${POD}/enableServiceLinks`, undefined, ['gateway gets variables of Services']],
    [
      `${POD}/volumes/-`,
      { name: 'host', hostPath: { path: '/' } },
      ['gateway has a volume of the kind hostPath'],
    ],
    [
      `${POD}/securityContext/sysctls`,
      [{ name: 'net.ipv4.tcp_syncookies' }, { name: 'kernel.msgmax' }],
      ['gateway sets kernel.msgmax'],
    ],
    [`${POD}/securityContext/runAsNonRoot`, false, ['gateway may run as root']],
    [
      `${POD}/initContainers/0/securityContext`,
      { privileged: true },
      [
        'inventory/migrate is privileged',
        'inventory/migrate may gain privileges',
        'inventory/migrate keeps capabilities',
        'inventory/migrate may write to its own files',
      ],
      'Deployment/inventory',
    ],
  ])('sees %s set to %j', (at, to, problems, of = gateway) => {
    expect(podSecurityProblems(altered(production, { of, at, to }))).toEqual(problems);
  });
});

describe('the rule of ports', () => {
  it.each<Row>([
    [
      `${OWN}/ports/0/name`,
      undefined,
      [
        'gateway/gateway has a port 6385 without a name',
        'the Service gateway has a port http to http, which its pods do not have',
      ],
    ],
    [`${OWN}/readinessProbe`, undefined, ['gateway has no readinessProbe']],
    [
      `${OWN}/startupProbe/httpGet/port`,
      7385,
      ['gateway has a startupProbe at the port 7385, not at admin'],
    ],
    [
      `${OWN}/livenessProbe`,
      { tcpSocket: { port: 'admin' } },
      ['gateway has a livenessProbe that is not over HTTP'],
    ],
    [
      `${OWN}/ports/1/name`,
      'metrics',
      [
        'gateway has a startupProbe at a port that it does not have',
        'gateway has a livenessProbe at a port that it does not have',
        'gateway has a readinessProbe at a port that it does not have',
      ],
    ],
    [
      '/spec/ports/0/name',
      undefined,
      [
        'the Service gateway has a port without a name',
        'the Ingress gateway leads to gateway, port http, which is not there',
      ],
      'Service/gateway',
    ],
    [
      '/spec/ports/0/port',
      80,
      ['the Service pdp has a port http that is 80 here and 8181 there'],
      'Service/pdp',
    ],
    [
      '/spec/rules/0/http/paths/0/backend/service/name',
      'nowhere',
      ['the Ingress gateway leads to nowhere, port http, which is not there'],
      'Ingress/gateway',
    ],
    [
      '/spec/tls',
      [],
      ['the Ingress gateway has no TLS for baremetal.example.org'],
      'Ingress/gateway',
    ],
  ])('sees %s set to %j', (at, to, problems, of = gateway) => {
    expect(portProblems(altered(production, { of, at, to }))).toEqual(problems);
  });
});

describe('the rule of how parts are run', () => {
  it.each<Row>([
    [
      `${OWN}/image`,
      'tenure-gateway:latest',
      ['gateway/gateway has the image tenure-gateway:latest, not tenure-gateway with a tag'],
    ],
    [
      `${OWN}/image`,
      'registry.example.org:5000/tenure-gateway',
      [
        'gateway/gateway has the image registry.example.org:5000/tenure-gateway, not tenure-gateway with a tag',
      ],
    ],
    [
      `${OWN}/image`,
      'tenure-pdp:0.1.0',
      ['gateway/gateway has the image tenure-pdp:0.1.0, not tenure-gateway with a tag'],
    ],
    [`${OWN}/lifecycle`, undefined, ['gateway stops without a pause']],
    [`${OWN}/lifecycle/preStop/sleep/seconds`, 16, ['gateway has 30 s to stop and needs 31']],
    [`${POD}/terminationGracePeriodSeconds`, 19, ['gateway has 19 s to stop and needs 20']],
    [`${OWN}/name`, 'server', ['the first container of gateway is not its own']],
    [
      '/spec/template/metadata/labels',
      { 'app.kubernetes.io/name': 'entrance' },
      [
        'gateway does not select its pods',
        'the Service gateway is not of one workload',
        'the Service gateway-agents is not of one workload',
        'the NetworkPolicy gateway is about nobody',
        'the NetworkPolicy gateway-from-agents is about nobody',
        'the NetworkPolicy gateway-from-ingress is about nobody',
        'the NetworkPolicy gateway-to-issuer is about nobody',
        'the NetworkPolicy gateway-to-redis is about nobody',
      ],
    ],
    [`${POD}/serviceAccountName`, 'default', ['gateway has no account of its own without a token']],
    [
      '/automountServiceAccountToken',
      true,
      ['gateway has no account of its own without a token'],
      'ServiceAccount/gateway',
    ],
    [
      `${POD}/topologySpreadConstraints`,
      [],
      [
        'gateway is not spread over kubernetes.io/hostname',
        'gateway is not spread over topology.kubernetes.io/zone',
      ],
    ],
    [
      `${OWN}/resources/limits/memory`,
      undefined,
      ['gateway/gateway takes as much memory as there is'],
    ],
    [
      '/spec/strategy/rollingUpdate/maxUnavailable',
      1,
      ['gateway is updated otherwise than one more, none less'],
    ],
    [
      `${POD}/volumes/-`,
      { name: 'data', persistentVolumeClaim: { claimName: 'x' } },
      ['gateway holds a volume, and would have two pods at once'],
    ],
    ['/spec/podManagementPolicy', undefined, ['pdp starts one by one'], 'StatefulSet/pdp'],
    [
      '/spec/serviceName',
      'conductor',
      ['conductor has no headless Service that names its pods'],
      'StatefulSet/conductor',
    ],
    [
      '/spec/selector',
      { 'app.kubernetes.io/part-of': 'tenure' },
      ['the Service gateway is not of one workload'],
      'Service/gateway',
    ],
  ])('sees %s set to %j', (at, to, problems, of = gateway) => {
    expect(workloadProblems(altered(production, { of, at, to }))).toEqual(problems);
  });

  it('misses a part that is not there', () => {
    expect(workloadProblems(without(production, 'Deployment/compute'))).toEqual([
      'there is no compute',
      'the Service compute is not of one workload',
      'the NetworkPolicy compute is about nobody',
    ]);
  });
});

describe('the rule of scaling', () => {
  it.each<Row>([
    [
      '/spec/minReplicas',
      10,
      ['the autoscaler gateway has 10 to 10 replicas'],
      'HorizontalPodAutoscaler/gateway',
    ],
    [
      '/spec/scaleTargetRef/kind',
      'Deployment',
      ['the autoscaler pdp is of nothing'],
      'HorizontalPodAutoscaler/pdp',
    ],
    [
      '/spec/metrics',
      [],
      [
        'the autoscaler inventory does not look at cpu',
        'the autoscaler inventory does not look at tenure_http_requests_in_flight',
      ],
      'HorizontalPodAutoscaler/inventory',
    ],
    ['/spec/replicas', 3, ['gateway sets a number of replicas that its autoscaler changes']],
    [
      `${OWN}/resources/requests/cpu`,
      undefined,
      ['gateway asks for no CPU that the autoscaler gateway could measure by'],
    ],
    [
      '/spec',
      { minAvailable: 2, selector: { matchLabels: { 'app.kubernetes.io/name': 'compute' } } },
      ['the budget compute keeps a node from being drained'],
      'PodDisruptionBudget/compute',
    ],
    [
      '/spec/maxUnavailable',
      '0%',
      ['the budget gateway keeps a node from being drained'],
      'PodDisruptionBudget/gateway',
    ],
    [
      '/spec/selector/matchLabels',
      { 'app.kubernetes.io/name': 'nobody' },
      ['pdp has 0 budgets for disruptions'],
      'PodDisruptionBudget/pdp',
    ],
  ])('sees %s set to %j', (at, to, problems, of = gateway) => {
    expect(scalingProblems(altered(production, { of, at, to }))).toEqual(problems);
  });
});

describe('the rule of references', () => {
  it.each<Row>([
    [
      `${OWN}/env/-`,
      { name: 'REDIS_URL', valueFrom: { secretKeyRef: { name: 'gateway-redis', key: 'url' } } },
      ['gateway/gateway has the secret REDIS_URL in its environment'],
    ],
    [
      `${OWN}/envFrom/-`,
      { secretRef: { name: 'gateway-redis' } },
      ['gateway/gateway has all of the Secret gateway-redis in its environment'],
    ],
    [
      `${OWN}/envFrom/0/configMapRef/name`,
      'gateway-setings',
      ['gateway/gateway takes variables from the ConfigMap gateway-setings, which is not there'],
    ],
    [
      `${POD}/volumes/0/secret/secretName`,
      'my-redis',
      ['gateway needs the Secret my-redis, of which nothing is said'],
    ],
    [
      `${POD}/volumes/-`,
      { name: 'x', configMap: { name: 'unheard-of' } },
      ['gateway needs the ConfigMap unheard-of, of which nothing is said'],
    ],
    [
      `${POD}/volumes/-`,
      { name: 'x', persistentVolumeClaim: { claimName: 'unheard-of' } },
      ['gateway needs the PersistentVolumeClaim unheard-of, of which nothing is said'],
    ],
    [
      `${OWN}/volumeMounts/-`,
      { name: 'nothing', mountPath: '/x' },
      ['gateway/gateway mounts the volume nothing, which is not there'],
    ],
    [`${OWN}/volumeMounts/0/subPath`, 'url', ['gateway/gateway mounts a part of the volume redis']],
    [
      '/spec/tls/0/secretName',
      'my-tls',
      ['the Ingress gateway needs the Secret my-tls, of which nothing is said'],
      'Ingress/gateway',
    ],
  ])('sees %s set to %j', (at, to, problems, of = gateway) => {
    expect(referenceProblems(altered(production, { of, at, to }))).toEqual(problems);
  });

  it('sees a Secret in the manifests', () => {
    const secret: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'gateway-redis' },
    };
    expect(referenceProblems([...production, secret])).toEqual([
      'the Secret gateway-redis is in the manifests',
    ]);
  });
});

const to = (name: string, port: number) => ({
  to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': name } } }],
  ports: [{ protocol: 'TCP', port }],
});

const block = (cidr: string, port: number) => ({ to: [{ ipBlock: { cidr } }], ports: [{ port }] });

describe('the rule of edges', () => {
  it.each<Row>([
    [
      `${OWN}/env/-`,
      { name: 'PDP_URL', value: 'http://pdp:8181' },
      ['allocation -> pdp:8181 is configured, and nobody may'],
      'Deployment/allocation',
    ],
    [
      `${OWN}/env`,
      [],
      [
        'allocation -> inventory:8182 is needed, and no variable says where',
        'allocation may ask for addresses, and calls nobody',
      ],
      'Deployment/allocation',
    ],
    [
      '/spec/egress/0/ports/0/port',
      8182,
      ['gateway -> pdp:8181 is not let out'],
      'NetworkPolicy/gateway',
    ],
    [
      '/spec/ingress/0/from/0/podSelector/matchLabels',
      { 'app.kubernetes.io/name': 'compute' },
      ['gateway -> pdp:8181 is not let in', 'compute -> pdp:8181 is let in, and nobody needs it'],
      'NetworkPolicy/pdp',
    ],
    [
      '/spec/egress/-',
      to('compute', 8185),
      ['allocation -> compute:8185 is let out, and nobody needs it'],
      'NetworkPolicy/allocation',
    ],
    [
      '/spec/egress/-',
      { to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'inventory' } } }] },
      ['allocation -> inventory:9182 is let out, and nobody needs it'],
      'NetworkPolicy/allocation',
    ],
    [
      '/spec/podSelector/matchExpressions/0/values',
      ['gateway', 'conductor', 'allocation'],
      ['compute calls by name, and may not ask for addresses'],
      'NetworkPolicy/dns',
    ],
    [
      '/spec/egress/0/ports/0/port',
      6380,
      [
        'gateway has to reach port 6379 outside, and may not',
        'gateway may reach 198.51.100.16/29 6380, and nothing says what for',
      ],
      'NetworkPolicy/gateway-to-redis',
    ],
    [
      '/spec/egress/0/to/0/ipBlock/cidr',
      '0.0.0.0/0',
      ['inventory may reach 0.0.0.0/0 27017, which is not narrow'],
      'NetworkPolicy/inventory-to-mongodb',
    ],
    [
      '/spec/egress/-',
      block('203.0.113.9/32', 25),
      ['conductor may reach 203.0.113.9/32 25, and nothing says what for'],
      'NetworkPolicy/conductor-to-bmcs',
    ],
    [
      '/spec/ingress/0/from/0/namespaceSelector/matchLabels',
      { 'kubernetes.io/metadata.name': 'everywhere' },
      [
        'nobody may read the metrics of allocation',
        'allocation may be reached by everywhere admin, and nothing says what for',
        'nobody may read the metrics of compute',
        'compute may be reached by everywhere admin, and nothing says what for',
        'nobody may read the metrics of gateway',
        'gateway may be reached by everywhere admin, and nothing says what for',
        'nobody may read the metrics of inventory',
        'inventory may be reached by everywhere admin, and nothing says what for',
        'nobody may read the metrics of conductor',
        'conductor may be reached by everywhere admin, and nothing says what for',
        'nobody may read the metrics of pdp',
      ],
      'NetworkPolicy/monitoring',
    ],
    [
      '/spec/ingress/0/from/0/namespaceSelector',
      {},
      [
        'allocation -> gateway:6385 is let in, and nobody needs it',
        'compute -> gateway:6385 is let in, and nobody needs it',
        'gateway -> gateway:6385 is let in, and nobody needs it',
        'inventory -> gateway:6385 is let in, and nobody needs it',
        'conductor -> gateway:6385 is let in, and nobody needs it',
        'pdp -> gateway:6385 is let in, and nobody needs it',
        'gateway may be reached by every namespace 6385, and nothing says what for',
      ],
      'NetworkPolicy/gateway-from-ingress',
    ],
    [
      '/spec/ingress/0/ports/0/port',
      6388,
      ['gateway may be reached by ingress-nginx 6388, and nothing says what for'],
      'NetworkPolicy/gateway-from-ingress',
    ],
    [
      '/spec/ingress/0/from/0/ipBlock/cidr',
      '0.0.0.0/0',
      ['gateway may be reached by 0.0.0.0/0 6388, and nothing says what for'],
      'NetworkPolicy/gateway-from-agents',
    ],
    [
      '/spec/ingress/0/ports/0/port',
      6385,
      ['gateway may be reached by 192.0.2.128/25 6385, and nothing says what for'],
      'NetworkPolicy/gateway-from-agents',
    ],
    [
      '/spec/ingress/-',
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'web' } } }],
        ports: [{ port: 8182 }],
      },
      ['inventory may be reached by web 8182, and nothing says what for'],
      'NetworkPolicy/inventory',
    ],
  ])('sees %s set to %j', (at, value, problems, of = gateway) => {
    expect(edgesProblems(altered(production, { of, at, to: value }))).toEqual(problems);
  });

  it('takes a workload that no policy speaks of for one that reaches everything', () => {
    const open = without(production, 'NetworkPolicy/default-deny');
    expect(
      edgesProblems(
        ['gateway-from-ingress', 'gateway-from-agents', 'monitoring'].reduce(
          (objects, name) => without(objects, `NetworkPolicy/${name}`),
          open,
        ),
      ),
    ).toEqual(
      expect.arrayContaining([
        'pdp -> gateway:6385 is let in, and nobody needs it',
        'gateway may be reached by everybody every port, and nothing says what for',
      ]),
    );
  });
});

describe('the rule of the namespace', () => {
  it.each<Row>([
    [
      '/metadata/labels',
      {
        'pod-security.kubernetes.io/enforce': 'baseline',
        'pod-security.kubernetes.io/warn': 'restricted',
      },
      [
        'tenure does not enforce restricted',
        'tenure does not say which version to enforce',
        'tenure does not audit restricted',
        'tenure does not say which version to audit',
        'tenure does not say which version to warn',
      ],
      'Namespace/tenure',
    ],
    ['/metadata/namespace', 'default', ['the Deployment gateway is not in the namespace']],
    [
      '/spec/policyTypes',
      ['Ingress'],
      ['Egress is not denied by default'],
      'NetworkPolicy/default-deny',
    ],
    [
      '/spec/egress',
      [{}],
      ['Ingress is not denied by default', 'Egress is not denied by default'],
      'NetworkPolicy/default-deny',
    ],
  ])('sees %s set to %j', (at, value, problems, of = gateway) => {
    expect(namespaceProblems(altered(production, { of, at, to: value }))).toEqual(problems);
  });
});
