import { AppError, BadRequestError } from '@tenure/contracts';
import { isJsonObject, memberOf } from '@tenure/policy';

/** Maximum number of questions in one request; more would delay other requests. */
const MAX_QUESTIONS = 64;

/** One answer of a batch: the text of its body, or why there is none. */
export type BatchEntry = readonly [name: string, answer: string | AppError];

/**
 * The `inputs` of a batch request by the client's own names for them.
 * @throws BadRequestError when there are none, or too many
 */
export function questionsOf(parsed: unknown): readonly (readonly [name: string, input: unknown])[] {
  const inputs = isJsonObject(parsed) ? memberOf(parsed, 'inputs') : undefined;
  if (!isJsonObject(inputs))
    throw new BadRequestError(
      'The request body must have the member inputs, an object of name and input.',
    );
  const questions = Object.entries(inputs);
  if (questions.length === 0 || questions.length > MAX_QUESTIONS)
    throw new BadRequestError(`From 1 to ${String(MAX_QUESTIONS)} inputs are taken at once.`);
  return questions;
}

/** The `traceparents` of a batch: one for each question that has a trace. Values other than text are ignored. */
export function traceparentsOf(parsed: unknown): (name: string) => string | undefined {
  const traceparents = isJsonObject(parsed) ? memberOf(parsed, 'traceparents') : undefined;
  return (name) => {
    const value = isJsonObject(traceparents) ? memberOf(traceparents, name) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
}

/**
 * The `audit_limits` of a batch: bytes of log a day for the account of a question, null for no limit. Other values are
 * ignored.
 */
export function auditLimitsOf(parsed: unknown): (name: string) => number | null | undefined {
  const limits = isJsonObject(parsed) ? memberOf(parsed, 'audit_limits') : undefined;
  return (name) => {
    const value = isJsonObject(limits) ? memberOf(limits, name) : undefined;
    return value === null || isBytes(value) ? value : undefined;
  };
}

/** The answer to a batch: 200 when every question has an answer, 207 when some failed, 500 when all did. */
export function batchAnswer(entries: readonly BatchEntry[]): {
  readonly status: number;
  readonly body: string;
} {
  const failed = entries.filter(([, answer]) => answer instanceof AppError).length;
  const isMixed = failed > 0 && failed < entries.length;
  const body = `{"responses":{${entries.map((entry) => entryText(entry, isMixed)).join(',')}}}`;
  if (failed === 0) return { status: 200, body };
  return { status: isMixed ? 207 : 500, body };
}

const isBytes = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

function entryText([name, answer]: BatchEntry, isMixed: boolean): string {
  if (answer instanceof AppError) {
    const { code, message, status, headers } = answer;
    const retryAfter = headers['Retry-After'];
    return `${JSON.stringify(name)}:${JSON.stringify({
      http_status_code: String(status),
      code,
      message,
      ...(retryAfter !== undefined && { retry_after: Number(retryAfter) }),
    })}`;
  }
  const status = isMixed ? '"http_status_code":"200",' : '';
  return `${JSON.stringify(name)}:{${status}${answer.slice(1)}`;
}
