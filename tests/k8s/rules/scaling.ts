import {
  type Autoscaler,
  type DisruptionBudget,
  ofKind,
  type Objects,
  podLabelsOf,
  selects,
  type Workload,
  workloadsOf,
} from '../support/objects.js';

/** The fewest pods that a workload is meant to have. */
export const fewestOf = (workload: Workload, objects: Objects): number =>
  scalerOf(workload, objects)?.spec.minReplicas ?? workload.spec.replicas ?? 1;

/** Autoscalers without a range or a target, and budgets that cannot be met. */
export const scalingProblems = (objects: Objects): readonly string[] => [
  ...ofKind(objects, 'HorizontalPodAutoscaler').flatMap((scaler) => ofAutoscaler(scaler, objects)),
  ...workloadsOf(objects).flatMap((workload) => ofBudgets(workload, objects)),
];

const scalerOf = (workload: Workload, objects: Objects): Autoscaler | undefined =>
  ofKind(objects, 'HorizontalPodAutoscaler').find((each) => targetOf(each, objects) === workload);

const targetOf = ({ spec }: Autoscaler, objects: Objects): Workload | undefined =>
  workloadsOf(objects).find(
    ({ kind, metadata }) =>
      kind === spec.scaleTargetRef.kind && metadata.name === spec.scaleTargetRef.name,
  );

function ofAutoscaler(scaler: Autoscaler, objects: Objects): readonly string[] {
  const { minReplicas = 1, maxReplicas } = scaler.spec;
  const target = targetOf(scaler, objects);
  const label = `the autoscaler ${scaler.metadata.name}`;
  if (target === undefined) return [`${label} is of nothing`];
  return [
    ...(minReplicas < maxReplicas
      ? []
      : [`${label} has ${minReplicas} to ${maxReplicas} replicas`]),
    ...(target.spec.replicas === undefined
      ? []
      : [`${target.metadata.name} sets a number of replicas that its autoscaler changes`]),
    ...['cpu', 'tenure_http_requests_in_flight']
      .filter((metric) => !metricsOf(scaler).includes(metric))
      .map((metric) => `${label} does not look at ${metric}`),
    ...(target.spec.template.spec.containers.every(
      ({ resources }) => resources?.requests?.['cpu'] !== undefined,
    )
      ? []
      : [`${target.metadata.name} asks for no CPU that ${label} could measure by`]),
  ];
}

function ofBudgets(workload: Workload, objects: Objects): readonly string[] {
  const { name } = workload.metadata;
  const budgets = ofKind(objects, 'PodDisruptionBudget').filter(({ spec }) =>
    selects(spec.selector, podLabelsOf(workload)),
  );
  if (budgets.length !== 1) return [`${name} has ${budgets.length} budgets for disruptions`];
  return budgets.flatMap((budget) =>
    mayBeAway(budget, fewestOf(workload, objects)) >= 1
      ? []
      : [`the budget ${budget.metadata.name} keeps a node from being drained`],
  );
}

const metricsOf = ({ spec }: Autoscaler): readonly (string | undefined)[] =>
  (spec.metrics ?? []).map(({ resource, pods }) => resource?.name ?? pods?.metric.name);

/** How many of so many pods may be away. */
const mayBeAway = ({ spec }: DisruptionBudget, pods: number): number =>
  spec.maxUnavailable === undefined
    ? pods - share(spec.minAvailable ?? 0, pods)
    : share(spec.maxUnavailable, pods);

const share = (amount: number | string, of: number): number =>
  typeof amount === 'number' ? amount : Math.ceil((Number.parseInt(amount, 10) / 100) * of);
