import { type ServerResponse } from 'node:http';
import { AppError, type Decision, type DecisionAnswer, toAppError } from '@tenure/contracts';
import { type Entrypoint } from '@tenure/policy';
import { collectBody } from '../http/collect-body.js';
import { type Exchange, fail } from '../http/exchange.js';
import { askerIn } from '../http/request-facts.js';
import { type Asking, type Decided, type Dialect, type DialectAnswer } from './dialect.js';

interface BatchResult {
  readonly result: Readonly<Record<string, Decision>>;
}

/** Answers a request in a dialect, by the questions that follow from it. */
export function converse(exchange: Exchange, dialect: Dialect, path: string): void {
  const { request, response, logger } = exchange;
  const startedAt = performance.now();
  const refuse = (thrown: unknown): void => {
    if (dialect.refusal === undefined) fail(logger, { request, response, thrown });
    else sendDialect(response, dialect.refusal(toAppError(thrown)));
  };
  collectBody(request, dialect.bodyLimit, (body) => {
    if (body instanceof AppError) {
      refuse(body);
      return;
    }
    const { method = '', headers } = request;
    dialect
      .answer({ method, path, headers, body }, askingFor(exchange, startedAt))
      .then((answer) => {
        sendDialect(response, answer);
      })
      .catch(refuse);
  });
}

function sendDialect(
  response: ServerResponse,
  { status, headers, type, body }: DialectAnswer,
): void {
  response
    .writeHead(status, {
      ...headers,
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
    })
    .end(body);
}

/** Evaluates questions like the Data API: each is decided, logged and awaited in the same way. */
function askingFor({ request, point, publicUrl }: Exchange, startedAt: number): Asking {
  const from = { ...askerIn(request), startedAt };
  const answerTo = async (entrypoint: Entrypoint, input: unknown): Promise<string> => {
    const { body, logged } = point.answer({ entrypoint, input, ...from });
    await logged;
    return body;
  };
  return {
    ask: async (question) =>
      decidedIn(JSON.parse(await answerTo('decision', question)) as DecisionAnswer), // our own answer
    askMany: async (question, actions) =>
      resultIn(JSON.parse(await answerTo('batch', { ...question, actions })) as BatchResult), // our own answer
    tables: point.tables(),
    now: () => new Date().toISOString(),
    publicUrl,
  };
}

const decidedIn = ({ decision_id: decisionId, result: decision }: DecisionAnswer): Decided => ({
  decisionId,
  decision,
});

const resultIn = ({ result }: BatchResult): BatchResult['result'] => result;
