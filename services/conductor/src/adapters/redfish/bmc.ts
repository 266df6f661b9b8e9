import { type Deadline, isOver } from '../../deadline.js';
import { BmcCallFailure } from './bmc-error.js';
import { type BmcAuth } from './bmc-session.js';
import { type BmcAnswer, type BmcRequest, type BmcTransport, succeeded } from './bmc-transport.js';

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

/** A queue of one worker; who waits longer than its deadline leaves it. */
export const createSerial = (): Serial => {
  let tail: Promise<unknown> = Promise.resolve();
  return async (task, deadline) => {
    const turn = tail.then(() => {
      if (isOver(deadline))
        throw new BmcCallFailure('timeout', 'the BMC was busy with other commands', {
          maybeSent: false,
        });
      return task();
    });
    tail = turn.catch(() => undefined);
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
  const request = async (call: BmcRequest, deadline: Deadline): Promise<BmcAnswer> => {
    const headers = await auth.headers(deadline);
    const answer = await transport.call(
      { ...call, headers: { ...call.headers, ...headers } },
      deadline,
    );
    // A 401 says that the command was not carried out: it may be sent again, once.
    if (answer.status !== 401 || !auth.refused(headers)) return succeeded(answer);
    const renewed = await auth.headers(deadline);
    return succeeded(
      await transport.call({ ...call, headers: { ...call.headers, ...renewed } }, deadline),
    );
  };
  return {
    origin,
    auth,
    request,
    command: (call, deadline) => serial(() => request(call, deadline), deadline),
  };
};
