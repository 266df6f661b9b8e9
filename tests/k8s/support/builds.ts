import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { cache, root } from '../../support/paths.js';
import { type KubeObject, type Objects, workloadsOf } from './objects.js';

/** What `kubectl apply -k` would send of one folder. */
export interface Build {
  /** The folder, below k8s/. */
  readonly name: string;
  readonly objects: Objects;
}

const KUSTOMIZE = path.join(cache, 'k8s-tools', 'bin', 'kustomize');

/** The documents of a YAML stream. @throws Error when it is none */
export const objectsIn = (yaml: string): Objects =>
  parseAllDocuments(yaml).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as KubeObject; // the schemas of Kubernetes are checked by scripts/k8s/check.sh
  });

const build = (name: string): Build => ({
  name,
  objects: objectsIn(
    execFileSync(KUSTOMIZE, ['build', path.join(root, 'k8s', name)], { encoding: 'utf8' }),
  ),
});

const foldersOf = (folder: string): readonly string[] =>
  readdirSync(path.join(root, 'k8s', folder)).map((name) => `${folder}/${name}`);

/** Every overlay and every example that is a whole installation, also those that come. */
export const installations: readonly Build[] = [...foldersOf('overlays'), ...foldersOf('examples')]
  .map(build)
  .filter(({ objects }) => workloadsOf(objects).length > 0);

/** @throws Error when there is none of that name */
export function installation(name: string): Objects {
  const found = installations.find((each) => each.name === name);
  if (found === undefined) throw new Error(`k8s/${name} is no installation`);
  return found.objects;
}
