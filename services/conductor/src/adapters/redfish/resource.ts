import { type Deadline, isOver, retry, sleepWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { BmcCallFailure } from './bmc-error.js';
import { type BmcAnswer, type BmcRequest } from './bmc-transport.js';
import { type Bmc } from './bmc.js';
import { type Json, textOf } from './json.js';

/** A Redfish resource as last read. */
export interface Resource {
  readonly path: string;
  readonly etag: string | undefined;
  readonly data: Json;
}

/** Reads may be tried again: they change nothing. A BMC that hangs is not asked twice. */
const READ_ATTEMPTS = 3;
const READ_PAUSE_MS = 500;

const isWorthRetry = (error: unknown): boolean =>
  error instanceof BmcCallFailure &&
  (error.kind === 'unreachable' ||
    (error.status !== undefined && [429, 502, 503, 504].includes(error.status)));

/** Reads a resource; a busy or briefly unreachable BMC is asked up to three times. */
export const readResource = (bmc: Bmc, path: string, deadline: Deadline): Promise<Resource> =>
  retry(
    async () => {
      const { data, headers } = await bmc.request({ method: 'GET', path }, deadline);
      return { path, etag: headers['etag'] ?? textOf(data['@odata.etag']), data };
    },
    {
      attempts: READ_ATTEMPTS,
      isTransient: (error) => !isOver(deadline) && isWorthRetry(error),
      pauseMs: (attempt) => READ_PAUSE_MS * attempt,
      sleep: (ms) => sleepWithin(ms, deadline),
    },
  );

/** Reads what a BMC need not have: undefined when there is no path, or nothing at it. */
export const readOptional = async (
  bmc: Bmc,
  path: string | undefined,
  deadline: Deadline,
): Promise<Resource | undefined> => {
  if (path === undefined) return undefined;
  try {
    return await readResource(bmc, path, deadline);
  } catch (error) {
    if (error instanceof BmcCallFailure && error.status === 404) return undefined;
    throw error;
  }
};

type Change = Pick<BmcRequest, 'path'> & {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly body?: Json;
};

const send = (
  bmc: Bmc,
  change: Change,
  ifMatch: string | undefined,
  deadline: Deadline,
): Promise<BmcAnswer> =>
  bmc.command(
    { ...change, headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } },
    deadline,
  );

const PRECONDITION = new Set([412, 428]);

/**
 * Sends a change. A 412 says that it was not made, so the ETag of `resource` is fetched again and the change sent once more.
 * The answer is not believed: read the resource afterwards.
 */
export const changeResource = async (
  bmc: Bmc,
  resource: Pick<Resource, 'path' | 'etag'>,
  change: Change,
  deadline: Deadline,
): Promise<BmcAnswer> => {
  // Actions take no precondition until the BMC asks for one.
  const ifMatch = change.method === 'POST' ? undefined : resource.etag;
  try {
    return await send(bmc, change, ifMatch, deadline);
  } catch (error) {
    if (
      !(error instanceof BmcCallFailure) ||
      error.status === undefined ||
      !PRECONDITION.has(error.status)
    )
      throw error;
    const fresh = await readResource(bmc, resource.path, deadline);
    return send(bmc, change, fresh.etag ?? '*', deadline);
  }
};

/** Rhythm of looking for the effect of a change, milliseconds. */
const EFFECT_POLL_MS = 300;

export interface Effect<T> {
  readonly read: () => Promise<T>;
  readonly isThere: (seen: T) => boolean;
  /** The sentence for a change that was taken without effect. */
  readonly missing: string;
}

/** What a change failed with when it may have been made all the same; undefined when it was taken. */
const doubtOf = async (change: () => Promise<unknown>): Promise<BmcCallFailure | undefined> => {
  try {
    await change();
    return undefined;
  } catch (error) {
    if (error instanceof BmcCallFailure && error.maybeSent) return error;
    throw error;
  }
};

/**
 * Makes a change and looks for its effect until the deadline. The change is sent once; when its answer was a failure that
 * may have come after the deed, the effect decides.
 * @throws DriverFailure `no_effect`, or the failure of the change
 */
export const changeAndSee = async <T>(
  change: () => Promise<unknown>,
  effect: Effect<T>,
  deadline: Deadline,
): Promise<T> => {
  const doubt = await doubtOf(change);
  for (let looks = 0; !isOver(deadline); looks += 1) {
    try {
      const seen = await effect.read();
      if (effect.isThere(seen)) return seen;
    } catch (error) {
      if (doubt !== undefined) throw doubt;
      // A read that our own deadline cut short says nothing; those before it said that the effect is missing.
      if (looks === 0 || !isOver(deadline)) throw error;
    }
    await sleepWithin(EFFECT_POLL_MS, deadline);
  }
  throw doubt ?? new DriverFailure('no_effect', effect.missing);
};
