import { type Deadline } from '@tenure/process';
import { type BmcConcurrency } from './bmc-limits.js';
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

export interface BmcParts {
  readonly origin: string;
  readonly transport: BmcTransport;
  readonly auth: BmcAuth;
  readonly commands: BmcConcurrency['commands'];
}

export function createBmc({ origin, transport, auth, commands }: BmcParts): Bmc {
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
    command: (call, deadline) => commands(origin, () => request(call, deadline), deadline),
  };
}
