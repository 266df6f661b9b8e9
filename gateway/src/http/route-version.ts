import { AppError, MIN_MICROVERSION } from '@tenure/contracts';
import { type Negotiated } from '../dialects/dialect.js';
import { type Route, type Since } from '../routes/route.js';

/**
 * Refuses a route that is newer than what the request asks for.
 * @throws AppError 404, 405 or 406, as the route says
 */
export function checkSince({ since }: Pick<Route, 'since'>, version: Negotiated): void {
  if (since !== undefined && isNewer(since, version))
    throw new AppError('version_too_low', since.status, since.message);
}

/**
 * A path of which nothing is there yet in a version has no wrong methods either.
 * @param routes all that there is at the path
 * @throws AppError 404
 */
export function checkAnySince(routes: readonly Route[], version: Negotiated): void {
  const isHidden = ({ since }: Route): boolean => since?.status === 404 && isNewer(since, version);
  if (routes.every(isHidden)) for (const route of routes) checkSince(route, version);
}

const isNewer = (since: Since, { minor }: Negotiated): boolean =>
  minor < since.minor && (since.orMinimum !== true || minor > MIN_MICROVERSION.minor);
