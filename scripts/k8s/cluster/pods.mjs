// Reads objects as kubectl prints them, and writes the pods that the workloads among them would make.
import { readFileSync } from 'node:fs';

// kubectl prints one document after the other.
const documents = readFileSync(0, 'utf8')
  .split(/^(?=\{)/mu)
  .map((text) => JSON.parse(text));
const objects = documents.flatMap((each) => each.items ?? [each]);
/** A StatefulSet adds the volumes that it makes claims for. */
const specOf = ({ template, volumeClaimTemplates = [] }) => ({
  ...template.spec,
  volumes: [
    ...(template.spec.volumes ?? []),
    ...volumeClaimTemplates.map(({ metadata: { name } }) => ({
      name,
      persistentVolumeClaim: { claimName: name },
    })),
  ],
});

const items = objects
  .filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind))
  .map(({ metadata, spec }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...spec.template.metadata,
      name: `${metadata.name}-alone`,
      namespace: metadata.namespace,
    },
    spec: specOf(spec),
  }));
console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
