import { type AppError, type Decision } from '@tenure/contracts';
import { type JsonObject, type TypedTables } from '@tenure/policy';

/** A request in one of the dialects, whole. */
export interface DialectRequest {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The decision on one question. */
export interface Decided {
  readonly decisionId: string;
  readonly decision: Decision;
}

/** Asks the policy in service, as the Data API does. */
export interface Asking {
  /** @throws AppError when there is no decision: never an allow */
  readonly ask: (question: JsonObject) => Promise<Decided>;
  /** Several actions on one resource, in one question. @throws AppError when there is no decision */
  readonly askMany: (
    question: JsonObject,
    actions: readonly string[],
  ) => Promise<Readonly<Record<string, Decision>>>;
  readonly tables: TypedTables;
  /** RFC 3339, UTC. */
  readonly now: () => string;
  /** Where this decision point is reached, without a slash at its end. */
  readonly publicUrl: string;
}

export interface DialectAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type: 'application/json' | 'text/plain';
  readonly body: string;
}

/** Another protocol for questions to the same policy. */
export interface Dialect {
  readonly answers: (path: string) => boolean;
  /** Bytes of a body. */
  readonly bodyLimit: number;
  /** @throws AppError, which is answered by `refusal`, or else as a problem */
  readonly answer: (request: DialectRequest, asking: Asking) => Promise<DialectAnswer>;
  /** For clients that would take an error for an allow. */
  readonly refusal?: (error: AppError) => DialectAnswer;
}

export const json = (
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): DialectAnswer => ({
  status: 200,
  headers,
  type: 'application/json',
  body: JSON.stringify(body),
});
