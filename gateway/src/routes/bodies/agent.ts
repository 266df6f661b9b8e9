import { Type } from '@sinclair/typebox';
import { type BodyKind, bodyOf, INVENTORY_BYTES, MEDIUM_BYTES } from './body-kind.js';
import { Document } from './documents.js';

const Text = Type.Union([Type.String({ maxLength: 4096 }), Type.Null()]);

/** Bodies of requests from the deploy ramdisk and the inspector. */
export const AGENT_BODIES = {
  heartbeat: bodyOf({
    what: 'heartbeat',
    limit: MEDIUM_BYTES,
    schema: Type.Object(
      {
        // Empty for an installer that accepts no calls.
        callback_url: Type.String({ maxLength: 4096 }),
        agent_version: Type.Optional(Text),
        agent_token: Type.Optional(Text),
        agent_verify_ca: Type.Optional(
          Type.Union([Type.String({ maxLength: MEDIUM_BYTES }), Type.Null()]),
        ),
        agent_status: Type.Optional(Text),
        agent_status_message: Type.Optional(Text),
      },
      { additionalProperties: false },
    ),
  }),
  inspectionData: bodyOf({
    what: 'inspection data',
    limit: INVENTORY_BYTES,
    schema: Document,
  }),
  reapplied: bodyOf({
    what: 'introspection data',
    limit: INVENTORY_BYTES,
    isOptional: true,
    schema: Type.Union([Document, Type.Null()]),
  }),
} as const satisfies Record<string, BodyKind>;
