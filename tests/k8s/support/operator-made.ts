import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../support/paths.js';

/** A Secret or ConfigMap that is not in the manifests, as k8s/README.md describes it. */
interface OperatorMade {
  readonly kind: string;
  readonly name: string;
  readonly keys: readonly string[];
}

const ITEM =
  /^- `(?<name>[a-z0-9-]+)` \((?<kind>Secret|ConfigMap),[^)]+\): (?<keys>.+(?:\n {2}.+)*)$/gmu;

/** The objects that an operator makes according to k8s/README.md. */
export const operatorMade: readonly OperatorMade[] = [
  ...readFileSync(path.join(root, 'k8s', 'README.md'), 'utf8').matchAll(ITEM),
].map(({ groups }) => ({
  kind: groups?.['kind'] ?? '',
  name: groups?.['name'] ?? '',
  keys: [...(groups?.['keys'] ?? '').matchAll(/`([^`]+)`/gu)].map(([, key]) => key ?? ''),
}));
