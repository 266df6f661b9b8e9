import {
  type Container,
  containersOf,
  type Ingress,
  ofKind,
  type Objects,
  podLabelsOf,
  selects,
  type Service,
  type Workload,
  workloadsOf,
} from '../support/objects.js';

/** The workloads whose pods a Service is for. */
export const targetsOf = ({ spec }: Service, objects: Objects): readonly Workload[] =>
  workloadsOf(objects).filter((workload) =>
    // Of a Service for one replica, whichever it is.
    selects(
      {
        matchLabels: Object.fromEntries(
          Object.entries(spec.selector ?? {}).filter(
            ([key]) => key !== 'statefulset.kubernetes.io/pod-name',
          ),
        ),
      },
      podLabelsOf(workload),
    ),
  );

/** Ports without names, probes beside the admin port, Services and Ingresses that lead nowhere. */
export const portProblems = (objects: Objects): readonly string[] => [
  ...workloadsOf(objects).flatMap(ofWorkload),
  ...ofKind(objects, 'Service').flatMap((service) => ofService(service, objects)),
  ...ofKind(objects, 'Ingress').flatMap((ingress) => ofIngress(ingress, objects)),
];

function ofWorkload({ metadata, spec: { template } }: Workload): readonly string[] {
  const [own] = template.spec.containers;
  const unnamed = containersOf(template).flatMap((container) =>
    (container.ports ?? [])
      .filter(({ name }) => name === undefined)
      .map(
        ({ containerPort }) =>
          `${metadata.name}/${container.name} has a port ${containerPort} without a name`,
      ),
  );
  return [
    ...unnamed,
    ...(own === undefined ? [] : probeProblems(own)).map(
      (problem) => `${metadata.name} ${problem}`,
    ),
  ];
}

function ofService(service: Service, objects: Objects): readonly string[] {
  const ports = targetsOf(service, objects).flatMap(
    ({ spec: { template } }) => template.spec.containers[0]?.ports ?? [],
  );
  return service.spec.ports.flatMap(({ name, port, targetPort }) => {
    const label = `the Service ${service.metadata.name} has a port ${nameOfPort(name)}`;
    if (name === undefined) return [label];
    const target = ports.find((each) => each.name === targetPort);
    if (target === undefined)
      return [`${label} to ${String(targetPort)}, which its pods do not have`];
    return target.containerPort === port
      ? []
      : [`${label} that is ${port} here and ${target.containerPort} there`];
  });
}

function ofIngress({ metadata, spec }: Ingress, objects: Objects): readonly string[] {
  const covered = new Set((spec.tls ?? []).flatMap(({ hosts = [] }) => hosts));
  return spec.rules.flatMap(({ host = '*', http }) => [
    ...(covered.has(host) ? [] : [`the Ingress ${metadata.name} has no TLS for ${host}`]),
    ...http.paths.flatMap(({ backend: { service } }) => {
      const port = ofKind(objects, 'Service')
        .find((each) => each.metadata.name === service.name)
        ?.spec.ports.find(({ name }) => name === service.port.name);
      return port === undefined
        ? [
            `the Ingress ${metadata.name} leads to ${service.name}, port ${nameOfPort(service.port.name)}, which is not there`,
          ]
        : [];
    }),
  ]);
}

const probeProblems = (container: Container): readonly string[] =>
  probesOf(container).flatMap(([kind, probe]) => {
    if (probe === undefined) return [`has no ${kind}`];
    const port = probe.httpGet?.port;
    if (port === undefined) return [`has a ${kind} that is not over HTTP`];
    if (port !== 'admin') return [`has a ${kind} at the port ${String(port)}, not at admin`];
    return (container.ports ?? []).some(({ name }) => name === port)
      ? []
      : [`has a ${kind} at a port that it does not have`];
  });

const probesOf = ({ startupProbe, livenessProbe, readinessProbe }: Container) =>
  Object.entries({ startupProbe, livenessProbe, readinessProbe });

const nameOfPort = (name: string | undefined): string => name ?? 'without a name';
