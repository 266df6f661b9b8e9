import { randomUUID } from 'node:crypto';
import { type Dialect } from '../dialects/dialect.js';

/** What every answer says, whoever made its body. */
export interface AnswerFacts {
  readonly dialect: Dialect;
  readonly requestId: string;
  /** Undefined until it is negotiated. */
  readonly apiVersion?: string | undefined;
  readonly decisionId?: string | undefined;
}

/** A request id of our own: a client's would let it write into other people's logs. */
export const newRequestId = (): string => `req-${randomUUID()}`;

/** What the logs call the request and its decision: in every answer, also in one whose versions another API tells. */
export const idHeaders = ({
  dialect,
  requestId,
  decisionId,
}: AnswerFacts): Record<string, string> => ({
  ...Object.fromEntries(dialect.requestIdHeaders.map((name) => [name, requestId])),
  ...(decisionId !== undefined && { 'X-Tenure-Decision-Id': decisionId }),
});

/** The headers of every answer. */
export const answerHeaders = (facts: AnswerFacts): Record<string, string> => ({
  ...facts.dialect.versionHeaders(facts.apiVersion),
  ...idHeaders(facts),
});
