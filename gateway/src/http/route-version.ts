import { AppError, MIN_MICROVERSION } from '@tenure/contracts';
import { type Negotiated } from '../dialects/dialect.js';
import { type Route, type Since } from '../routes/route.js';

/**
 * Refuses a route that is newer than the requested version.
 * @throws AppError 404, 405 or 406, as configured for the route
 */
export function checkSince({ since }: Pick<Route, 'since'>, version: Negotiated): void {
  if (since !== undefined && isNewer(since, version))
    throw new AppError('version_too_low', since.status, since.message);
}

/**
 * Refuses a path whose routes are all newer than the version, with 404 rather than 405.
 * @param routes all routes of the path
 * @throws AppError 404
 */
export function checkAnySince(routes: readonly Route[], version: Negotiated): void {
  const isHidden = ({ since }: Route): boolean => since?.status === 404 && isNewer(since, version);
  if (routes.every(isHidden)) for (const route of routes) checkSince(route, version);
}

const isNewer = (since: Since, { minor }: Negotiated): boolean =>
  minor < since.minor && (since.orMinimum !== true || minor > MIN_MICROVERSION.minor);
