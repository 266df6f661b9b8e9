import { type ServerResponse } from 'node:http';

/** How the stub misbehaves; change members while it runs. */
export interface StubFaults {
  /** Never answers. */
  hang: boolean;
  /** Sends the system byte after byte, and is never done. */
  drip: boolean;
  /** Answers GET of the system with a page of HTML, and 200. */
  page: boolean;
  /** Answers 401 to everything but a login. */
  refusesAll: boolean;
  /** Refuses a login for want of sessions: with 503, or with 400 and the message that says so. */
  sessionsFull: 503 | 400 | undefined;
  /** Answers these methods with a status and an empty body. */
  empty: Partial<Record<string, number>>;
  /** Answers all requests to these paths with a status and an empty body. */
  failing: Record<string, number>;
  /** Carries a reset out, then answers with this status and an empty body. */
  resetAnswer: number | undefined;
  /** Carries a reset out and breaks the connection instead of answering. */
  resetBreaks: boolean;
  /** Says 204 to a reset and does nothing. */
  resetIgnored: boolean;
  /** Answers a reset with 204, does nothing, and returns the requested state while this is set. */
  resetPretended: boolean;
  /** Shows the state before a change of power in every other answer, for this many milliseconds after it. */
  staleMs: number;
  /** Leaves the power out of the system. */
  powerless: boolean;
  /** Milliseconds that each byte of the system takes; 0: it is sent at once. */
  trickleMs: number;
  /** Milliseconds that a change of power takes. */
  transitionMs: number;
  /** Answers GET of the system with a redirect there. */
  redirectTo: string | undefined;
  /** Target of such a redirect on the same host, where the system is served. */
  movedTo: string | undefined;
  /** Bytes of padding in the system's body. */
  padding: number;
  /** Refuses a PATCH whose If-Match is not the current ETag. */
  etag: boolean;
  /** Changes the ETag after each GET, this many times. */
  etagMoves: number;
  /** Has no session service: `404`, or `unsaid` (not in the root, and a login without Basic is a 401). */
  noSessions: '404' | 'unsaid' | undefined;
  /** Refuses a reset as untimely, this many times. */
  busy: number;
}

const DRIP_MS = 20;

const FULL = {
  error: { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.8.SessionLimitExceeded' }] },
};

export const noFaults = (): StubFaults => ({
  hang: false,
  drip: false,
  page: false,
  refusesAll: false,
  sessionsFull: undefined,
  empty: {},
  failing: {},
  resetAnswer: undefined,
  resetBreaks: false,
  resetIgnored: false,
  resetPretended: false,
  staleMs: 0,
  powerless: false,
  trickleMs: 0,
  transitionMs: 0,
  redirectTo: undefined,
  movedTo: undefined,
  padding: 0,
  etag: false,
  etagMoves: 0,
  noSessions: undefined,
  busy: 0,
});

export function send(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = {
    'content-length': String(Buffer.byteLength(text)),
    'content-type': 'application/json',
    ...headers,
  };
  response.writeHead(status, all).end(text);
}

/** Sends a body byte by byte, until it is complete or the client disconnects. */
export function trickle(response: ServerResponse, body: unknown, everyMs: number): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
  });
  let sent = 0;
  const drops = setInterval(() => {
    // The client may have disconnected before the first byte.
    if (response.destroyed || sent === bytes.length) {
      clearInterval(drops);
      response.end();
      return;
    }
    response.write(bytes.subarray(sent, sent + 1));
    sent += 1;
  }, everyMs);
}

/** Shows the system badly; false when no fault asks for that. */
export function answeredBadly(faults: StubFaults, response: ServerResponse): boolean {
  if (faults.redirectTo !== undefined)
    send(response, 307, undefined, { location: faults.redirectTo });
  else if (faults.drip) drip(response);
  else if (faults.page)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
  else return false;
  return true;
}

/** The status and body with which a login is refused; undefined when it is not. */
export function loginRefusal({
  noSessions,
  sessionsFull,
}: StubFaults): readonly [number, unknown?] | undefined {
  if (noSessions !== undefined) return [noSessions === '404' ? 404 : 401];
  if (sessionsFull === 503) return [503];
  return sessionsFull === undefined ? undefined : [400, FULL];
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"PowerState":"');
  const drops = setInterval(() => response.write('x'), DRIP_MS);
  response.on('close', () => {
    clearInterval(drops);
  });
}
