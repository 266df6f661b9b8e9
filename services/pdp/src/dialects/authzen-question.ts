import { Requested, Subject } from '@tenure/contracts';
import { type JsonObject, memberOf } from '@tenure/policy';
import { type Evaluation } from './authzen-shapes.js';
import { type Decided } from './dialect.js';

const SUBJECT_KEYS = Object.keys(Subject.properties);
const RESOURCE_KEYS = ['owner', 'lessee', 'creator', 'public', 'tenancy_revision'];
const REQUESTED_KEYS = Object.keys(Requested.properties);

/** The members of a subject that the policy reads. */
export const subjectIn = (members: unknown): JsonObject => picked(members, SUBJECT_KEYS);

/**
 * An access evaluation as a question to the policy. The subject's id is the user's; everything else that the policy reads of
 * a subject or a resource comes in their `properties`, under the policy's own names.
 * @param now used unless the context says when
 */
export function questionOf(
  { subject, action, resource, context }: Evaluation,
  now: string,
): JsonObject {
  const fields = memberOf(action.properties, 'fields');
  const requested = memberOf(action.properties, 'requested');
  const when = memberOf(context, 'now');
  return {
    action: action.name,
    subject: { user_id: subject.id, ...subjectIn(subject.properties) },
    resource: {
      type: resource.type,
      id: resource.id,
      owner: null,
      lessee: null,
      tenancy_revision: 0,
      ...picked(resource.properties, RESOURCE_KEYS),
    },
    ...(fields !== undefined && { fields }),
    ...(requested !== undefined && { requested: picked(requested, REQUESTED_KEYS) }),
    now: typeof when === 'string' ? when : now,
  };
}

/** The response to an evaluation. */
export function evaluated({ decisionId, decision }: Decided): JsonObject {
  const { allow, ...rest } = decision;
  return { decision: allow && decision.visible, context: { id: decisionId, ...rest } };
}

/** Those of the members that are there. */
const picked = (from: unknown, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    keys
      .map((key): [string, unknown] => [key, memberOf(from, key)])
      .filter(([, value]) => value !== undefined),
  );
