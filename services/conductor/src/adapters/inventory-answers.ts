import { Type } from '@sinclair/typebox';
import { AppError, type NodeRecord } from '@tenure/contracts';
import { expectAnswer } from '@tenure/http';

// Only what the conductor acts on is checked; the record has many more members.
export const NodeShape = Type.Object({
  uuid: Type.String({ minLength: 1 }),
  driver: Type.String(),
  driver_info: Type.Object({}),
  driver_internal_info: Type.Object({}),
  maintenance: Type.Boolean(),
  power_state: Type.Union([Type.String(), Type.Null()]),
  target_power_state: Type.Union([Type.String(), Type.Null()]),
  provision_state: Type.String(),
  reservation: Type.Union([Type.String(), Type.Null()]),
  tenancy_revision: Type.Integer(),
  fence: Type.Integer(),
});

/** @throws UnavailableError */
export function asNode(answer: unknown): NodeRecord {
  expectAnswer(NodeShape, answer);
  return answer as NodeRecord; // the members that are used were checked; the rest is the inventory's own record
}

export const nodePath = (uuid: string): string => `/internal/nodes/${encodeURIComponent(uuid)}`;

/** The answer, or undefined when there is nothing. */
export async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return undefined;
    throw error;
  }
}
