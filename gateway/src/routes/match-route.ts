import { type Route } from './route.js';

/** The result of matching method and path against the table. `allow` is sorted, for the `Allow` header. */
export type RouteMatch =
  | { readonly kind: 'route'; readonly route: Route; readonly params: ReadonlyMap<string, string> }
  | {
      readonly kind: 'wrong_method';
      readonly allow: readonly string[];
      /** The routes of the path. */
      readonly routes: readonly Route[];
    }
  | { readonly kind: 'unknown' };

interface Place {
  readonly literals: Map<string, Place>;
  param?: { readonly name: string; readonly place: Place };
  readonly routes: Map<string, Route>;
}

const UNKNOWN: RouteMatch = { kind: 'unknown' };

/**
 * Compiles a route table into a matcher. A literal segment always goes before one in braces, so
 * `/v1/nodes/detail` is never a node of that name, whatever the method.
 * @throws Error when two rows are for the same method and path
 */
export function createMatcher(
  routes: readonly Route[],
): (method: string, segments: readonly string[]) => RouteMatch {
  const root = newPlace();
  for (const route of routes) {
    const place = route.path
      .split('/')
      .filter((segment) => segment !== '')
      .reduce(childFor, root);
    if (place.routes.has(route.method))
      throw new Error(`two routes for ${route.method} ${route.path}`);
    place.routes.set(route.method, route);
  }
  return (method, segments) => {
    const params = new Map<string, string>();
    const place = placeOf(root, segments, params);
    if (place === undefined || place.routes.size === 0) return UNKNOWN;
    const route = place.routes.get(method);
    if (route !== undefined) return { kind: 'route', route, params };
    return {
      kind: 'wrong_method',
      allow: [...place.routes.keys()].sort(),
      routes: [...place.routes.values()],
    };
  };
}

const newPlace = (): Place => ({ literals: new Map(), routes: new Map() });

function childFor(place: Place, segment: string): Place {
  if (segment.startsWith('{')) {
    const name = segment.slice(1, -1);
    place.param ??= { name, place: newPlace() };
    if (place.param.name !== name)
      throw new Error(`two names for one segment: ${place.param.name}, ${name}`);
    return place.param.place;
  }
  const child = place.literals.get(segment) ?? newPlace();
  place.literals.set(segment, child);
  return child;
}

/** Walks down the table, and adds the values of the segments in braces to `params`. */
function placeOf(
  root: Place,
  segments: readonly string[],
  params: Map<string, string>,
): Place | undefined {
  let place: Place | undefined = root;
  for (const segment of segments) {
    const literal: Place | undefined = place.literals.get(segment);
    if (literal === undefined && place.param !== undefined) params.set(place.param.name, segment);
    place = literal ?? place.param?.place;
    if (place === undefined) return undefined;
  }
  return place;
}
