import { type Deadline, deadlineWithin, isOver, retry, sleepWithin } from '@tenure/process';
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

/** Reads may be retried: they change nothing. A BMC that hangs is not retried. */
const READ_ATTEMPTS = 3;
const READ_PAUSE_MS = 500;

const isWorthRetry = (error: unknown): boolean =>
  error instanceof BmcCallFailure &&
  (error.kind === 'unreachable' ||
    (error.status !== undefined && [429, 502, 503, 504].includes(error.status)));

const ROOT = '/redfish/v1/';

type Change = Pick<BmcRequest, 'path'> & {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly body?: Json;
};

const PRECONDITION = new Set([412, 428]);

/** Rhythm of looking for the effect of a change, milliseconds. */
const EFFECT_POLL_MS = 300;

interface Effect<T> {
  readonly read: () => Promise<T>;
  readonly isThere: (seen: T) => boolean;
  /** The sentence for a change that was taken without effect. */
  readonly missing: string;
}

/** A BMC, and until when its answers may take. Everything throws DriverFailure. */
export class BmcClient {
  readonly deadline: Deadline;
  readonly #bmc: Bmc;

  constructor(bmc: Bmc, deadline: Deadline) {
    this.#bmc = bmc;
    this.deadline = deadline;
  }

  get origin(): string {
    return this.#bmc.origin;
  }

  /** The same BMC, until another deadline. */
  until(deadline: Deadline): BmcClient {
    return new BmcClient(this.#bmc, deadline);
  }

  /** The same BMC, with this timeout in milliseconds. */
  within(ms: number): BmcClient {
    return this.until(deadlineWithin(this.deadline, ms));
  }

  /** Asks once. */
  get(path: string): Promise<BmcAnswer> {
    return this.#bmc.request({ method: 'GET', path }, this.deadline);
  }

  /** Reads a resource, with up to three attempts when the BMC is busy or briefly unreachable. */
  read(path: string): Promise<Resource> {
    return retry(
      async () => {
        const { data, headers } = await this.get(path);
        return { path, etag: headers['etag'] ?? textOf(data['@odata.etag']), data };
      },
      {
        attempts: READ_ATTEMPTS,
        isTransient: (error) => !isOver(this.deadline) && isWorthRetry(error),
        pauseMs: (attempt) => READ_PAUSE_MS * attempt,
        sleep: (ms) => sleepWithin(ms, this.deadline),
      },
    );
  }

  /** Reads what a BMC need not have: undefined when there is no path, or nothing at it. */
  async readOptional(path: string | undefined): Promise<Resource | undefined> {
    if (path === undefined) return undefined;
    try {
      return await this.read(path);
    } catch (error) {
      if (error instanceof BmcCallFailure && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Reads the service root of the BMC. */
  readRoot(): Promise<Resource> {
    return this.read(ROOT);
  }

  #send(change: Change, ifMatch: string | undefined): Promise<BmcAnswer> {
    const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    return this.#bmc.command({ ...change, headers }, this.deadline);
  }

  /**
   * Sends a change. A 412 says that it was not made, so the ETag of `resource` is fetched again and the change sent once more.
   * The response proves nothing: read the resource afterwards.
   */
  async change(resource: Pick<Resource, 'path' | 'etag'>, change: Change): Promise<BmcAnswer> {
    // Actions take no precondition until the BMC asks for one.
    const ifMatch = change.method === 'POST' ? undefined : resource.etag;
    try {
      return await this.#send(change, ifMatch);
    } catch (error) {
      const isRefused =
        error instanceof BmcCallFailure &&
        error.status !== undefined &&
        PRECONDITION.has(error.status);
      if (!isRefused) throw error;
      const fresh = await this.read(resource.path);
      return this.#send(change, fresh.etag ?? '*');
    }
  }

  /**
   * Makes a change and looks for its effect until the deadline. The change is sent once; when it failed with an
   * uncertain outcome, the effect decides.
   * @throws DriverFailure `no_effect`, or the failure of the change
   */
  async changeAndSee<T>(change: () => Promise<unknown>, effect: Effect<T>): Promise<T> {
    const { deadline } = this;
    const doubt = await uncertainFailureOf(change);
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
  }

  /** Writes members of a resource, and looks for the effect in it. See `changeAndSee`. */
  patchAndSee(
    resource: Pick<Resource, 'path' | 'etag'>,
    body: Json,
    effect: Omit<Effect<Resource>, 'read'>,
  ): Promise<Resource> {
    const { path } = resource;
    return this.changeAndSee(() => this.change(resource, { method: 'PATCH', path, body }), {
      ...effect,
      read: () => this.read(path),
    });
  }
}

/** The error of a change whose outcome is uncertain; undefined when the BMC accepted the change. */
async function uncertainFailureOf(
  change: () => Promise<unknown>,
): Promise<BmcCallFailure | undefined> {
  try {
    await change();
    return undefined;
  } catch (error) {
    if (error instanceof BmcCallFailure && error.maybeSent) return error;
    throw error;
  }
}
