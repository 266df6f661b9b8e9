import { AGENT_BODIES } from './bodies/agent.js';
import { type BodyKind, NO_BODY } from './bodies/body-kind.js';
import { DOCUMENT_BODIES } from './bodies/documents.js';
import { PATCH_BODIES } from './bodies/patches.js';
import { SERVER_BODIES } from './bodies/servers.js';
import { VERB_BODIES } from './bodies/verbs.js';

/** Every kind of body that a route of the table may take. */
export const BODY = {
  none: NO_BODY,
  ...DOCUMENT_BODIES,
  ...PATCH_BODIES,
  ...VERB_BODIES,
  ...AGENT_BODIES,
  ...SERVER_BODIES,
} as const satisfies Record<string, BodyKind>;
