import { parts } from '../../support/tenure.js';
import {
  containersOf,
  ofKind,
  type Objects,
  podLabelsOf,
  selects,
  type Workload,
  workloadsOf,
} from '../support/objects.js';
import { targetsOf } from './ports.js';

/** How long a part takes to stop, at most. */
const STOP_SECONDS = 15;
const SPREAD = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'];
const IMAGE =
  /^(?:[^@]+\/)?tenure-(?<part>[a-z]+):(?<tag>[A-Za-z0-9_][A-Za-z0-9._-]*)(?:@sha256:[0-9a-f]{64})?$/u;

/** Returns the errors in how the parts are run: names, images, selectors, updates and stops. */
export const workloadProblems = (objects: Objects): readonly string[] => [
  ...missingParts(objects),
  ...workloadsOf(objects).flatMap((workload) => [
    ...nameProblems(workload),
    ...selectionProblems(workload),
    ...accountProblems(workload, objects),
    ...spreadProblems(workload),
    ...memoryProblems(workload),
    ...imageProblems(workload),
    ...stopProblems(workload),
    ...updateProblems(workload),
    ...serviceNameProblems(workload, objects),
  ]),
  ...targetProblems(objects),
];

const missingParts = (objects: Objects): readonly string[] =>
  parts
    .filter((part) => !workloadsOf(objects).some(({ metadata }) => metadata.name === part))
    .map((part) => `there is no ${part}`);

const nameProblems = ({ metadata: { name }, spec }: Workload): readonly string[] => [
  ...(parts.some((part) => part === name) ? [] : [`${name} is no part`]),
  ...(spec.template.spec.containers[0]?.name === name
    ? []
    : [`the first container of ${name} is not its own`]),
];

const selectionProblems = (workload: Workload): readonly string[] =>
  selects(workload.spec.selector, podLabelsOf(workload))
    ? []
    : [`${workload.metadata.name} does not select its pods`];

function accountProblems(workload: Workload, objects: Objects): readonly string[] {
  const { name } = workload.metadata;
  const account = ofKind(objects, 'ServiceAccount').find((each) => each.metadata.name === name);
  const isItsOwn = workload.spec.template.spec.serviceAccountName === name;
  return isItsOwn && account?.automountServiceAccountToken === false
    ? []
    : [`${name} has no account of its own without a token`];
}

function spreadProblems({ metadata: { name }, spec }: Workload): readonly string[] {
  const constraints = spec.template.spec.topologySpreadConstraints ?? [];
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  return SPREAD.filter((key) => !keys.includes(key)).map(
    (key) => `${name} is not spread over ${key}`,
  );
}

const memoryProblems = ({ metadata: { name }, spec }: Workload): readonly string[] =>
  containersOf(spec.template)
    .filter(({ resources }) =>
      [resources?.requests, resources?.limits].some((each) => each?.['memory'] === undefined),
    )
    .map((container) => `${name}/${container.name} takes as much memory as there is`);

const imageProblems = ({ metadata: { name }, spec: { template } }: Workload): readonly string[] =>
  containersOf(template).flatMap((container) => {
    const { part, tag } = IMAGE.exec(container.image)?.groups ?? {};
    return part === name && tag !== undefined && tag !== 'latest'
      ? []
      : [
          `${name}/${container.name} has the image ${container.image}, not tenure-${name} with a tag`,
        ];
  });

function stopProblems({ metadata: { name }, spec: { template } }: Workload): readonly string[] {
  const pause = template.spec.containers[0]?.lifecycle?.preStop?.sleep?.seconds;
  if (pause === undefined) return [`${name} stops without a pause`];
  const needed = pause + STOP_SECONDS;
  const given = template.spec.terminationGracePeriodSeconds ?? 30;
  return given >= needed ? [] : [`${name} has ${given} s to stop and needs ${needed}`];
}

function updateProblems(workload: Workload): readonly string[] {
  const { kind, metadata, spec } = workload;
  if (kind === 'StatefulSet')
    return spec.podManagementPolicy === 'Parallel' ? [] : [`${metadata.name} starts one by one`];
  // A volume that one pod holds cannot be given to the next before the first has ended.
  if (hasClaim(workload))
    return isAlone(workload)
      ? []
      : [`${metadata.name} holds a volume, and would have two pods at once`];
  return rollsGently(workload)
    ? []
    : [`${metadata.name} is updated otherwise than one more, none less`];
}

function serviceNameProblems(workload: Workload, objects: Objects): readonly string[] {
  if (workload.kind !== 'StatefulSet') return [];
  const service = ofKind(objects, 'Service').find(
    ({ metadata }) => metadata.name === workload.spec.serviceName,
  );
  return service?.spec.clusterIP === 'None' && targetsOf(service, objects).includes(workload)
    ? []
    : [`${workload.metadata.name} has no headless Service that names its pods`];
}

const targetProblems = (objects: Objects): readonly string[] => [
  ...ofKind(objects, 'Service')
    .filter((service) => targetsOf(service, objects).length !== 1)
    .map(({ metadata }) => `the Service ${metadata.name} is not of one workload`),
  ...ofKind(objects, 'NetworkPolicy')
    .filter(
      ({ spec }) =>
        !workloadsOf(objects).some((each) => selects(spec.podSelector, podLabelsOf(each))),
    )
    .map(({ metadata }) => `the NetworkPolicy ${metadata.name} is about nobody`),
];

const hasClaim = ({ spec: { template } }: Workload): boolean =>
  (template.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim !== undefined);

const isAlone = ({ spec }: Workload): boolean =>
  spec.strategy?.type === 'Recreate' && spec.replicas === 1;

function rollsGently({ spec }: Workload): boolean {
  const { maxUnavailable, maxSurge } = spec.strategy?.rollingUpdate ?? {};
  return maxUnavailable === 0 && maxSurge === 1;
}
