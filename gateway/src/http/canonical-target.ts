import { type IncomingMessage } from 'node:http';
import { type StrictRequest } from '../strict-http/check-request.js';
import { type Target } from '../strict-http/target.js';
import { asksBelow } from './microversion.js';

/** Clients below this version may put `.json` behind the uuid that ends a path. */
const NO_SUFFIX_SINCE = 91;
const DEFAULT_VERSION = 'v1';
const UUID_WITH_SUFFIX = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/iu;
const SUFFIX = /\.json\/?$/u;

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

/**
 * Writes a request's target in the form of the route table, before anything is decided on it: a path without version that
 * nobody knows is one of Ironic's default version, and the uuid at its end goes without the `.json` that old clients send.
 * The request itself is rewritten, so what is decided on is what is forwarded, byte for byte.
 * @param isKnown whether the route table has a path
 */
export const canonical = (
  request: IncomingMessage,
  strict: StrictRequest,
  isKnown: (segments: readonly string[]) => boolean,
): StrictRequest => {
  let { target } = strict;
  if (
    UUID_WITH_SUFFIX.test(target.segments.at(-1) ?? '') &&
    asksBelow(request.headers, NO_SUFFIX_SINCE)
  )
    target = withoutSuffix(target);
  if (!isKnown(target.segments)) {
    const versioned = belowDefault(target);
    if (isKnown(versioned.segments)) target = versioned;
  }
  if (target === strict.target) return strict;
  request.url = target.query === undefined ? target.path : `${target.path}?${target.query}`;
  return { ...strict, target };
};
