import { Type } from '@sinclair/typebox';
import { api, KeypairOwner } from '@tenure/contracts';
import { SERVER_VERBS, serverActionIn } from '../server-actions.js';
import { type BodyKind, bodyOf, MEDIUM_BYTES, NO_MEANING } from './body-kind.js';
import { Document } from './documents.js';

/** Nova's maximum: user data alone may have 64 KiB. */
const SERVER_BYTES = 112 * 1024;

/** Members beside `server`, such as hints for the scheduler, are checked by the service. */
const Server = Type.Object({ server: Document }, { maxProperties: 16 });

const ActionBody = Type.Object(
  Object.fromEntries(
    SERVER_VERBS.map((verb) => [
      verb,
      Type.Optional(Type.Union([Type.Null(), Document, Type.String()])),
    ]),
  ),
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
);

/** Bodies of the compute API. The service checks their members; the policy gets none of them. */
export const SERVER_BODIES = {
  server: bodyOf({
    what: 'server',
    limit: SERVER_BYTES,
    schema: Server,
    described: api.NOVA_CREATION.server,
  }),
  serverUpdate: bodyOf({
    what: 'server',
    limit: SERVER_BYTES,
    schema: Server,
    described: api.NOVA_CREATION.serverUpdate,
  }),
  // Checked here rather than by the schema, to answer with Nova's own error message.
  serverAction: {
    limit: SERVER_BYTES,
    schema: ActionBody,
    described: ActionBody,
    isOptional: false,
    meaning: (json) => {
      serverActionIn(json);
      return NO_MEANING;
    },
  },
  keypair: bodyOf({
    what: 'key pair',
    limit: MEDIUM_BYTES,
    schema: KeypairOwner,
    described: api.NOVA_CREATION.keypair,
  }),
} as const satisfies Record<string, BodyKind>;
