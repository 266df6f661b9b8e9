import { type IncomingMessage } from 'node:http';
import { CHANGE } from '@tenure/contracts';
import { asksBelow } from '../dialects/microversion.js';
import { type RouteMatch } from '../routes/match-route.js';
import { type StrictRequest } from './strict-http/check-request.js';
import { type Target } from './strict-http/target.js';

const DEFAULT_VERSION = 'v1';
const UUID_WITH_SUFFIX = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/iu;
const SUFFIX = /\.json\/?$/u;

/** The match of a target in the route table. */
export type Matching = (segments: readonly string[]) => RouteMatch;

/** A request in the form of the route table, and its match. */
export interface Canonical {
  readonly strict: StrictRequest;
  readonly match: RouteMatch;
}

/**
 * Rewrites a request's target to the form of the route table, before any decision: an unknown path without a version gets
 * Ironic's default version, and a uuid at its end loses the `.json` that old clients append. The request itself is changed, so
 * that the target of the decision is also the forwarded one, byte for byte.
 */
export function canonical(
  request: IncomingMessage,
  strict: StrictRequest,
  matchOf: Matching,
): Canonical {
  let { target } = strict;
  if (
    UUID_WITH_SUFFIX.test(target.segments.at(-1) ?? '') &&
    asksBelow(request.headers, CHANGE.noSuffix.minor)
  )
    target = withoutSuffix(target);
  let match = matchOf(target.segments);
  if (match.kind === 'unknown') {
    const versioned = belowDefault(target);
    const other = matchOf(versioned.segments);
    if (other.kind !== 'unknown') {
      target = versioned;
      match = other;
    }
  }
  if (target === strict.target) return { strict, match };
  request.url = target.query === undefined ? target.path : `${target.path}?${target.query}`;
  return { strict: { ...strict, target }, match };
}

const withoutSuffix = ({ path, segments, query }: Target): Target => ({
  path: path.replace(SUFFIX, ''),
  segments: segments.with(-1, (segments.at(-1) ?? '').slice(0, -'.json'.length)),
  query,
});

const belowDefault = ({ path, segments, query }: Target): Target => ({
  path: `/${DEFAULT_VERSION}${path}`,
  segments: [DEFAULT_VERSION, ...segments],
  query,
});
