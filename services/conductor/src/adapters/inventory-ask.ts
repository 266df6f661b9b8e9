import { Type } from '@sinclair/typebox';
import {
  AppError,
  matches,
  type NodeRecord,
  TenancyChangedError,
  UnavailableError,
} from '@tenure/contracts';
import { type ServiceCall, type ServiceClient } from '@tenure/http';
import { type Behalf } from '../ports/inventory-port.js';

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

/** An answer that does not say what it should. */
export const odd = (): UnavailableError =>
  new UnavailableError('The inventory service gave an unusable answer.');

/** @throws UnavailableError */
export const asNode = (answer: unknown): NodeRecord => {
  if (!matches(NodeShape, answer)) throw odd();
  return answer as unknown as NodeRecord; // the members that are used were checked; the rest is the inventory's own record
};

export const nodePath = (uuid: string): string => `/internal/nodes/${encodeURIComponent(uuid)}`;

const translated = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'tenancy_changed' ? new TenancyChangedError() : error;

/** One question to the inventory, on somebody's behalf. Throws `AppError`. */
export type AskInventory = (
  behalf: Behalf,
  request: Pick<ServiceCall, 'method' | 'target' | 'body'>,
) => Promise<unknown>;

export const createAskInventory =
  (client: ServiceClient): AskInventory =>
  async (behalf, request) => {
    try {
      return await client.call({ ...request, statement: { aud: 'inventory', ...behalf } });
    } catch (error) {
      throw translated(error);
    }
  };

/** The answer, or undefined when there is nothing. */
export const unlessMissing = async <T>(ask: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return undefined;
    throw error;
  }
};
