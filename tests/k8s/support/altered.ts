import { type KubeObject, type Objects } from './objects.js';

/** Where in a build, and what to put there: a JSON pointer whose `-` is the end of a list; undefined takes out. */
export interface Change {
  /** `Kind/name`. */
  readonly of: string;
  readonly at: string;
  readonly to: unknown;
}

type Branch = Record<string, unknown>;

/** A build with one change in it. @throws Error when there is no such object */
export function altered(objects: Objects, change: Change): Objects {
  const copy = structuredClone(objects);
  const object = copy.find(({ kind, metadata }) => `${kind}/${metadata.name}` === change.of);
  if (object === undefined) throw new Error(`there is no ${change.of}`);
  put(object, change);
  return copy;
}

/** A build without one object. @throws Error when there is no such object */
export function without(objects: Objects, name: string): Objects {
  const rest = objects.filter(({ kind, metadata }) => `${kind}/${metadata.name}` !== name);
  if (rest.length === objects.length) throw new Error(`there is no ${name}`);
  return rest;
}

function put(object: KubeObject, { at, to }: Change): void {
  const steps = at.slice(1).split('/');
  const last = steps.pop() ?? '';
  let place: unknown = object;
  for (const step of steps) {
    if (!isBranch(place)) throw new Error(`there is no ${at}`);
    place[step] ??= {};
    place = place[step];
  }
  if (Array.isArray(place) && last === '-') place.push(to);
  else if (!isBranch(place)) throw new Error(`there is no ${at}`);
  else if (to === undefined) Reflect.deleteProperty(place, last);
  else place[last] = to;
}

const isBranch = (value: unknown): value is Branch => typeof value === 'object' && value !== null;
