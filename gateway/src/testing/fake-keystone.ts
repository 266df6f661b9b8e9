import { randomBytes } from 'node:crypto';
import { type FakeServer, json, type Received, startFake } from './fakes.js';

type Body = Readonly<Record<string, unknown>>;

/** A fake Keystone with configurable tokens, for faults that cannot be produced with a real one. */
export interface FakeKeystone {
  readonly server: FakeServer;
  /** With `/v3`. */
  readonly url: string;
  /** Bodies of validated tokens, by token. */
  readonly tokens: Map<string, Body>;
  readonly events: Body[];
  /** Requests to validate a token. */
  readonly lookups: () => readonly Received[];
  readonly logins: () => number;
  /** Expires the gateway's own tokens. */
  readonly expireOurs: () => void;
}

/** A text of the shape of a Fernet token. */
export function fernetToken(): string {
  const bytes = Buffer.alloc(1 + 8 + 16 + 32 + 64, randomBytes(32));
  bytes[0] = 0x80;
  bytes.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000)), 1);
  randomBytes(64).copy(bytes, 57);
  return bytes.toString('base64url');
}

/** Keystone's answer for a token of a member of project p1. */
export const tokenBody = (changes: Body = {}): Body => ({
  methods: ['password'],
  user: { id: 'olga', name: 'olga', domain: { id: 'default', name: 'Default' } },
  audit_ids: [randomBytes(12).toString('base64url')],
  issued_at: inSeconds(-10),
  expires_at: inSeconds(3600),
  project: { id: 'p1', name: 'project-a', domain: { id: 'default', name: 'Default' } },
  is_domain: false,
  roles: [
    { id: 'r-member', name: 'member' },
    { id: 'r-reader', name: 'reader' },
  ],
  ...changes,
});

export async function startFakeKeystone(): Promise<FakeKeystone> {
  const tokens = new Map<string, Body>();
  const events: Body[] = [];
  let ours = 'ours-0';
  let logins = 0;
  const server = await startFake((request, response) => {
    if (request.method === 'POST') {
      logins += 1;
      ours = `ours-${String(logins)}`;
      json(
        response,
        201,
        { token: { issued_at: inSeconds(0), expires_at: inSeconds(3600) } },
        { 'X-Subject-Token': ours },
      );
    } else if (request.headers['x-auth-token'] !== ours) json(response, 401, { error: {} });
    else if (request.target.startsWith('/v3/OS-REVOKE/events')) json(response, 200, { events });
    else {
      const token = String(request.headers['x-subject-token']);
      const body = tokens.get(token);
      if (body === undefined) json(response, 404, { error: { message: `no token: ${token}` } });
      else json(response, 200, { token: body }, { 'X-Subject-Token': token });
    }
  });
  return {
    server,
    url: `${server.url}/v3`,
    tokens,
    events,
    lookups: () =>
      server.received.filter(
        ({ method, target }) => method === 'GET' && target.startsWith('/v3/auth/tokens'),
      ),
    logins: () => logins,
    expireOurs: () => {
      ours = 'another';
    },
  };
}

const inSeconds = (seconds: number): string =>
  new Date(Date.now() + seconds * 1000).toISOString().replace('Z', '000Z');
