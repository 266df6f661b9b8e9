import { ofKind, type Objects, selects } from '../support/objects.js';

const MODES = ['enforce', 'audit', 'warn'];

/** Returns the errors of the namespace as a whole. */
export const namespaceProblems = (objects: Objects): readonly string[] => [
  ...labelProblems(objects),
  ...placeProblems(objects),
  ...denialProblems(objects),
];

function labelProblems(objects: Objects): readonly string[] {
  const namespaces = ofKind(objects, 'Namespace');
  if (namespaces.length !== 1) return [`there are ${namespaces.length} namespaces`];
  return namespaces.flatMap(({ metadata: { name, labels = {} } }) =>
    MODES.flatMap((mode) => [
      ...(labels[`pod-security.kubernetes.io/${mode}`] === 'restricted'
        ? []
        : [`${name} does not ${mode} restricted`]),
      ...(labels[`pod-security.kubernetes.io/${mode}-version`] === undefined
        ? [`${name} does not say which version to ${mode}`]
        : []),
    ]),
  );
}

function placeProblems(objects: Objects): readonly string[] {
  const name = ofKind(objects, 'Namespace')[0]?.metadata.name;
  return objects
    .filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== name)
    .map(({ kind, metadata }) => `the ${kind} ${metadata.name} is not in the namespace`);
}

function denialProblems(objects: Objects): readonly string[] {
  const isDenied = (direction: string): boolean =>
    ofKind(objects, 'NetworkPolicy').some(
      ({ spec }) =>
        // Objects in the namespace without a label of ours.
        selects(spec.podSelector, {}) &&
        spec.policyTypes.includes(direction) &&
        spec.ingress === undefined &&
        spec.egress === undefined,
    );
  return ['Ingress', 'Egress']
    .filter((direction) => !isDenied(direction))
    .map((direction) => `${direction} is not denied by default`);
}
