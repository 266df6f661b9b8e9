import { Type } from '@sinclair/typebox';
import {
  HANDOVER_CAUSES,
  HANDOVER_OUTCOMES,
  HANDOVER_STATUSES,
  type HandoverRecord,
  matches,
} from '@tenure/contracts';

const Text = Type.String();
const TextOrNull = Type.Union([Text, Type.Null()]);
const Members = Type.Object({}, { additionalProperties: true });
const oneOf = (values: readonly string[]) => Type.Union(values.map((word) => Type.Literal(word)));

/** The form of a record. Other members are not checked here: the signature covers them. */
const Handover = Type.Object(
  {
    uuid: Text,
    node_uuid: Text,
    cause: oneOf(HANDOVER_CAUSES),
    status: oneOf(HANDOVER_STATUSES),
    phase: TextOrNull,
    owner: TextOrNull,
    from_project: TextOrNull,
    to_project: TextOrNull,
    plan: Type.Object({ undeploy: Type.Boolean(), clean: Type.Boolean() }),
    reason: TextOrNull,
    decision_id: TextOrNull,
    request_id: TextOrNull,
    user_id: TextOrNull,
    lease_uuid: TextOrNull,
    allocation_uuid: TextOrNull,
    agent: TextOrNull,
    steps: Type.Array(
      Type.Object({ step: Text, outcome: oneOf(HANDOVER_OUTCOMES), at: Text, detail: TextOrNull }),
    ),
    erased: Type.Array(Members),
    put_back: Members,
    firmware: Type.Array(Members),
    sealed: Members,
    opened_at: Text,
    completed_at: TextOrNull,
    number: Type.Union([Type.Integer(), Type.Null()]),
    previous: TextOrNull,
    digest: TextOrNull,
    signature: TextOrNull,
    sealed_digest: Type.Optional(TextOrNull),
  },
  { additionalProperties: true },
);

/** Whether a stored row has the form of a record: one that was tampered with may have none. */
export const isHandover = <T>(row: T): row is HandoverRecord & T => matches(Handover, row);
