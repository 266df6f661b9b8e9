import { randomUUID } from 'node:crypto';
import { type HandoverRecord, type NodeRecord } from '@tenure/contracts';

/** A handover of which nothing is done yet: to be torn down and cleaned, unless said otherwise. */
export const aHandover = (fields: Partial<HandoverRecord> = {}): HandoverRecord => ({
  uuid: randomUUID(),
  node_uuid: randomUUID(),
  cause: 'lessee_changed',
  status: 'open',
  phase: null,
  owner: 'project-a',
  from_project: 'project-l',
  to_project: 'project-a',
  plan: { undeploy: true, clean: true },
  reason: null,
  decision_id: null,
  request_id: null,
  user_id: null,
  lease_uuid: null,
  allocation_uuid: null,
  agent: null,
  steps: [],
  erased: [],
  put_back: {},
  firmware: [],
  sealed: {},
  opened_at: '2026-11-21T07:00:00+00:00',
  updated_at: null,
  completed_at: null,
  revision: 1,
  number: null,
  previous: null,
  digest: null,
  signature: null,
  ...fields,
});

/** A node that is being handed over. */
export const inHandover = (node: NodeRecord, { uuid }: HandoverRecord): NodeRecord => ({
  ...node,
  handover_uuid: uuid,
});
