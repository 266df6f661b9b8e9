import { type Deadline, isOver } from '../../deadline.js';
import { BmcCallFailure } from './bmc-error.js';
import { type BmcAuth } from './bmc-session.js';
import { type BmcAnswer, type BmcRequest, type BmcTransport, succeeded } from './bmc-transport.js';
import { inTime } from './in-time.js';

/** One BMC, authenticated. */
export interface Bmc {
  readonly origin: string;
  /**
   * One request, with one new login when the session was refused.
   * @throws BmcCallFailure for everything but a 2xx
   */
  readonly request: (request: BmcRequest, deadline: Deadline) => Promise<BmcAnswer>;
  /** As `request`, but at most one at a time for this BMC, whichever node or account it is for. */
  readonly command: (request: BmcRequest, deadline: Deadline) => Promise<BmcAnswer>;
  readonly auth: BmcAuth;
}

/** Runs one task at a time. */
export type Serial = <T>(task: () => Promise<T>, deadline: Deadline) => Promise<T>;

const BUSY = 'the BMC was busy with other commands';

/** A queue of one worker; who waits longer than its deadline leaves it, and its task is never begun. */
export const createSerial = (): Serial => {
  let tail: Promise<unknown> = Promise.resolve();
  return async (task, deadline) => {
    const before = tail;
    const turn = before.then(() => {
      if (isOver(deadline)) throw new BmcCallFailure('timeout', BUSY, { maybeSent: false });
      return task();
    });
    tail = turn.catch(() => undefined);
    // What has begun ends by its own deadline, and only it knows whether something was sent.
    await inTime(before, deadline, BUSY);
    return turn;
  };
};

export interface BmcParts {
  readonly origin: string;
  readonly transport: BmcTransport;
  readonly auth: BmcAuth;
  readonly serial: Serial;
}

export const createBmc = ({ origin, transport, auth, serial }: BmcParts): Bmc => {
  const once = async (
    call: BmcRequest,
    deadline: Deadline,
  ): Promise<{
    readonly answer: BmcAnswer;
    readonly headers: Readonly<Record<string, string>>;
  }> => {
    const headers = await auth.headers(deadline);
    const whole = { ...call, headers: { ...call.headers, ...headers } };
    return { answer: await transport.call(whole, deadline), headers };
  };
  const request = async (call: BmcRequest, deadline: Deadline): Promise<BmcAnswer> => {
    const first = await once(call, deadline);
    // A 401 says that the command was not carried out: it may be sent again, once.
    const isExpired = first.answer.status === 401 && auth.refused(first.headers);
    const { answer } = isExpired ? await once(call, deadline) : first;
    if (answer.status === 401) auth.rejected();
    return succeeded(answer);
  };
  return {
    origin,
    auth,
    request,
    command: (call, deadline) => serial(() => request(call, deadline), deadline),
  };
};
