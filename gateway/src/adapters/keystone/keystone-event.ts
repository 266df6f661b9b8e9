import { type Static, Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { type RevocationEvent } from '../../ports/keystone.js';

const Id = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));
const Time = Type.String({ minLength: 1, maxLength: 64 });

/** One event of `GET /v3/OS-REVOKE/events`. */
const Wire = Type.Object({
  issued_before: Time,
  expires_at: Type.Optional(Time),
  audit_id: Id,
  audit_chain_id: Id,
  user_id: Id,
  project_id: Id,
  domain_id: Id,
  domain_scope_id: Id,
  role_id: Id,
  'OS-TRUST:trust_id': Id,
  'OS-OAUTH1:consumer_id': Id,
  'OS-OAUTH1:access_token_id': Id,
});

const EventPage = Type.Object({ events: Type.Array(Wire) });

const SAME_NAME = [
  'audit_id',
  'audit_chain_id',
  'user_id',
  'project_id',
  'domain_id',
  'domain_scope_id',
  'role_id',
] as const;

/**
 * The events of Keystone's answer.
 * @throws Error when it is not a list of events, because an event must not be ignored
 */
export function eventsOf(body: unknown): readonly RevocationEvent[] {
  if (!matches(EventPage, body)) throw new Error('the revocation events of Keystone are malformed');
  return body.events.map(eventOf);
}

function eventOf(wire: Static<typeof Wire>): RevocationEvent {
  const trust = wire['OS-TRUST:trust_id'];
  const consumer = wire['OS-OAUTH1:consumer_id'];
  const accessToken = wire['OS-OAUTH1:access_token_id'];
  const same = SAME_NAME.flatMap((name) => (wire[name] === undefined ? [] : [[name, wire[name]]]));
  return {
    issuedBefore: secondsOf(wire.issued_before),
    ...(Object.fromEntries(same) as Partial<Record<(typeof SAME_NAME)[number], string>>), // names and strings as above
    ...(wire.expires_at !== undefined && { expiresAt: secondsOf(wire.expires_at) }),
    ...(trust !== undefined && { trust_id: trust }),
    ...(consumer !== undefined && { consumer_id: consumer }),
    ...(accessToken !== undefined && { access_token_id: accessToken }),
  };
}

function secondsOf(time: string): number {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw new Error('a time in a revocation event is malformed');
  return ms / 1000;
}
