import { type Static, type TSchema } from '@sinclair/typebox';
import {
  formatMicroversion,
  matches,
  MAX_MICROVERSION,
  type PartName,
  UnavailableError,
} from '@tenure/contracts';
import { type ServiceCall, type ServiceClient } from '@tenure/http';
import { type OnBehalf } from '../ports/on-behalf.js';

/** One call to another part, in words of a port. */
interface PartRequest {
  readonly method: ServiceCall['method'];
  readonly target: string;
  readonly body?: unknown;
  readonly on: OnBehalf;
}

/** Calls one other part. Throws AppError with the part's own words; UnavailableError when it cannot answer. */
export type CallPart = (request: PartRequest) => Promise<unknown>;

// Between the parts it is the bare-metal API's version that counts, whatever a client asked of the compute API.
const API_VERSION = formatMicroversion(MAX_MICROVERSION);

export const partCaller =
  (client: ServiceClient, audience: PartName): CallPart =>
  ({ on, ...call }) =>
    client.call({
      ...call,
      statement: {
        ...on,
        aud: audience,
        decision_id: null,
        api_version: API_VERSION,
        resources: [...on.resources],
      },
    });

/** An answer as the schema's type. @throws UnavailableError: a part that answers oddly is as good as none */
export const expectAnswer = <S extends TSchema>(schema: S, answer: unknown): Static<S> => {
  if (!matches(schema, answer))
    throw new UnavailableError('Another service gave an unusable answer.');
  return answer;
};
