import { type Static, type TSchema } from '@sinclair/typebox';
import { matches, UnavailableError } from '@tenure/contracts';
import { type ServiceCall, type ServiceClient } from '@tenure/http';
import { type OnBehalf } from '../ports/on-behalf.js';

/** One call to the inventory, in words of a port. */
export interface InventoryRequest {
  readonly method: ServiceCall['method'];
  readonly target: string;
  readonly body?: unknown;
  readonly on: OnBehalf;
}

const statementOf = ({ resources, ...on }: OnBehalf): ServiceCall['statement'] => ({
  ...on,
  aud: 'inventory',
  decision_id: on.decision_id ?? null,
  resources: [...resources],
});

/** Calls the inventory. @throws AppError with the inventory's own code; UnavailableError when it cannot answer */
export const callInventory = (
  client: ServiceClient,
  { on, ...call }: InventoryRequest,
): Promise<unknown> => client.call({ ...call, statement: statementOf(on) });

/** An answer as the schema's type. @throws UnavailableError: a part that answers oddly is as good as none */
export const expectAnswer = <S extends TSchema>(schema: S, answer: unknown): Static<S> => {
  if (!matches(schema, answer))
    throw new UnavailableError('The inventory service gave an unusable answer.');
  return answer;
};
