import { randomUUID } from 'node:crypto';
import { type Dialect } from '../dialects/dialect.js';

/** The facts that the headers of every answer contain. */
export interface AnswerFacts {
  readonly dialect: Dialect;
  readonly requestId: string;
  /** Undefined until it is negotiated. */
  readonly apiVersion?: string | undefined;
  readonly decisionId?: string | undefined;
}

/** A new request id. A client cannot choose it, because it appears in the logs of every part. */
export const newRequestId = (): string => `req-${randomUUID()}`;

/** Request id and decision id, as in the logs. Every answer has them, also one of a real Nova, which sets its own version headers. */
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
