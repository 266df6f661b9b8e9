import {
  type Container,
  containersOf,
  ofKind,
  type Objects,
  type PodSpec,
  type Volume,
  type Workload,
  workloadsOf,
} from '../support/objects.js';
import { operatorMade } from '../support/operator-made.js';

/** Secrets in environments, and whatever is mounted and neither in the build nor in the README's list. */
export const referenceProblems = (objects: Objects): readonly string[] => [
  ...workloadsOf(objects).flatMap((workload) => ofWorkload(workload, objects)),
  ...certificateProblems(objects),
  ...objects
    .filter(({ kind }) => kind === 'Secret')
    .map(({ metadata }) => `the Secret ${metadata.name} is in the manifests`),
];

function ofWorkload({ metadata, spec }: Workload, objects: Objects): readonly string[] {
  const pod = spec.template.spec;
  const names = new Set(
    [...volumesOf(pod), ...(spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata)].map(
      ({ name }) => name,
    ),
  );
  return [
    ...volumesOf(pod).flatMap((volume) =>
      volumeProblems(volume, objects).map((problem) => `${metadata.name} ${problem}`),
    ),
    ...containersOf(spec.template).flatMap((container) =>
      [...variableProblems(container, objects), ...mountProblems(container, names)].map(
        (problem) => `${metadata.name}/${container.name} ${problem}`,
      ),
    ),
  ];
}

const certificateProblems = (objects: Objects): readonly string[] =>
  ofKind(objects, 'Ingress').flatMap(({ metadata, spec }) =>
    (spec.tls ?? []).flatMap(({ secretName = '' }) =>
      isThere('Secret', secretName, objects)
        ? []
        : [`the Ingress ${metadata.name} needs the Secret ${secretName}, of which nothing is said`],
    ),
  );

const volumesOf = (spec: PodSpec): readonly Volume[] => spec.volumes ?? [];

function volumeProblems(volume: Volume, objects: Objects): readonly string[] {
  const { secret, configMap, persistentVolumeClaim: claim } = volume;
  const missing = (kind: string, name: string): readonly string[] =>
    isThere(kind, name, objects) ? [] : [`needs the ${kind} ${name}, of which nothing is said`];
  return [
    ...(secret === undefined ? [] : missing('Secret', secret.secretName)),
    ...(configMap === undefined ? [] : missing('ConfigMap', configMap.name)),
    ...(claim === undefined ? [] : missing('PersistentVolumeClaim', claim.claimName)),
  ];
}

const variableProblems = (container: Container, objects: Objects): readonly string[] => [
  ...(container.env ?? []).flatMap(({ name, valueFrom }) =>
    valueFrom?.secretKeyRef === undefined ? [] : [`has the secret ${name} in its environment`],
  ),
  ...(container.envFrom ?? []).flatMap(({ configMapRef, secretRef }) => {
    if (secretRef !== undefined)
      return [`has all of the Secret ${secretRef.name} in its environment`];
    const name = configMapRef?.name ?? '';
    return ofKind(objects, 'ConfigMap').some(({ metadata }) => metadata.name === name)
      ? []
      : [`takes variables from the ConfigMap ${name}, which is not there`];
  }),
];

const mountProblems = (container: Container, names: ReadonlySet<string>): readonly string[] =>
  (container.volumeMounts ?? []).flatMap(({ name, subPath, subPathExpr }) => [
    ...(names.has(name) ? [] : [`mounts the volume ${name}, which is not there`]),
    // It would not follow when the Secret or ConfigMap changes.
    ...((subPath ?? subPathExpr) === undefined ? [] : [`mounts a part of the volume ${name}`]),
  ]);

const isThere = (kind: string, name: string, objects: Objects): boolean =>
  objects.some((object) => object.kind === kind && object.metadata.name === name) ||
  operatorMade.some((made) => made.kind === kind && made.name === name);
