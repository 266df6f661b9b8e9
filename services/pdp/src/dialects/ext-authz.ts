import { type AppError, BadRequestError } from '@tenure/contracts';
import { parseJson } from '@tenure/http';
import {
  type Asking,
  type Decided,
  type Dialect,
  type DialectAnswer,
  type DialectRequest,
} from './dialect.js';

const PREFIX = '/ext_authz';
/** Envoy sends the request's own body only when configured to; it is ignored. */
const BODY_LIMIT = 1024 * 1024;
const MAX_HEADER = 16 * 1024;

const FORBIDDEN = 403;
const NOT_FOUND = 404;

/**
 * Envoy's external authorization over HTTP. The question comes in headers that Envoy itself must set or overwrite
 * (`headers_to_add` of the authorization request), for it sends the client's path and method as they are.
 */
export const EXT_AUTHZ: Dialect = {
  answers: (path) => path === PREFIX || path.startsWith(`${PREFIX}/`),
  bodyLimit: BODY_LIMIT,
  answer: async (request: DialectRequest, asking: Asking): Promise<DialectAnswer> => {
    const fields = jsonIn(request, 'x-tenure-fields');
    const requested = jsonIn(request, 'x-tenure-requested');
    return answerTo(
      await asking.ask({
        action: headerOf(request, 'x-tenure-action'),
        subject: jsonIn(request, 'x-tenure-subject'),
        resource: jsonIn(request, 'x-tenure-resource'),
        ...(fields !== undefined && { fields }),
        ...(requested !== undefined && { requested }),
        now: asking.now(),
      }),
    );
  },
  // 5xx would be an allow where Envoy runs with failure_mode_allow.
  refusal: (error: AppError): DialectAnswer => ({
    status: FORBIDDEN,
    type: 'text/plain',
    body: error.status < 500 ? error.message : 'no decision',
  }),
};

function jsonIn(request: DialectRequest, name: string): unknown {
  const text = headerOf(request, name);
  return text === undefined ? undefined : parseJson(Buffer.from(text, 'latin1'));
}

function answerTo({ decisionId, decision }: Decided): DialectAnswer {
  const { allow, visible, grants, denied } = decision;
  const headers = { 'x-tenure-decision-id': decisionId };
  if (allow && visible)
    return {
      status: 200,
      headers: { ...headers, 'x-tenure-grants': grants.join(',') },
      type: 'text/plain',
      body: '',
    };
  return {
    status: visible ? FORBIDDEN : NOT_FOUND,
    headers,
    type: 'text/plain',
    body: visible ? `not allowed: ${denied[0] ?? ''}` : 'not found',
  };
}

function headerOf({ headers }: DialectRequest, name: string): string | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > MAX_HEADER)
    throw new BadRequestError(`The header ${name} cannot be used.`);
  return value;
}
