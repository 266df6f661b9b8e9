import { Type } from '@sinclair/typebox';
import {
  api,
  HANDOVER_CAUSES,
  HANDOVER_OUTCOMES,
  HANDOVER_PHASES,
  HANDOVER_STATUSES,
  type HandoverRecord,
} from '@tenure/contracts';
import { expectAnswer, type ServiceCall, type ServiceClient } from '@tenure/http';
import { type HandoverBook } from '../ports/handover-book.js';
import { unlessMissing } from './inventory-answers.js';

// Only what the conductor acts on is checked.
const HandoverShape = Type.Object({
  uuid: Type.String({ minLength: 1 }),
  node_uuid: Type.String({ minLength: 1 }),
  cause: api.enumOf(...HANDOVER_CAUSES),
  status: api.enumOf(...HANDOVER_STATUSES),
  phase: Type.Union([api.enumOf(...HANDOVER_PHASES), Type.Null()]),
  steps: Type.Array(
    Type.Object({ step: Type.String(), outcome: api.enumOf(...HANDOVER_OUTCOMES) }),
  ),
  plan: Type.Object({ undeploy: Type.Boolean(), clean: Type.Boolean() }),
});

/** Handovers over HTTP (docs/contracts/inventory.md). */
export function createHttpHandoverBook(client: ServiceClient): HandoverBook {
  const path = (uuid: string): string => `/internal/handovers/${encodeURIComponent(uuid)}`;
  const call = async (what: ServiceCall): Promise<HandoverRecord> =>
    asHandover(await client.call(what));
  return {
    get: (context, uuid) =>
      unlessMissing(() => call({ context, method: 'GET', target: path(uuid) })),
    report: (context, uuid, body) =>
      call({ context, method: 'POST', target: `${path(uuid)}/report`, body }),
    complete: (context, uuid) =>
      call({ context, method: 'POST', target: `${path(uuid)}/complete`, body: {} }),
  };
}

function asHandover(answer: unknown): HandoverRecord {
  expectAnswer(HandoverShape, answer);
  return answer as HandoverRecord; // the members that are used were checked; the rest is the inventory's own record
}
