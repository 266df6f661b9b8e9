import { type Static, type TSchema } from '@sinclair/typebox';
import { BadRequestError, NotFoundError, parse } from '@tenure/contracts';
import { parseJson } from '@tenure/http';
import { type JsonObject } from '@tenure/policy';
import { evaluated, questionOf } from './authzen-question.js';
import {
  allowedActions,
  allowedOf,
  candidatesIn,
  kindsOfResources,
  kindsOfSubjects,
  pageOf,
} from './authzen-search.js';
import {
  ActionSearch,
  Evaluation,
  Evaluations,
  ResourceSearch,
  SubjectSearch,
} from './authzen-shapes.js';
import {
  type Asking,
  type Dialect,
  type DialectAnswer,
  type DialectRequest,
  json,
} from './dialect.js';

const METADATA = '/.well-known/authzen-configuration';
const ENDPOINTS = {
  access_evaluation_endpoint: '/access/v1/evaluation',
  access_evaluations_endpoint: '/access/v1/evaluations',
  search_subject_endpoint: '/access/v1/search/subject',
  search_resource_endpoint: '/access/v1/search/resource',
  search_action_endpoint: '/access/v1/search/action',
} as const;

const BODY_LIMIT = 1024 * 1024;

const evaluate = async (request: DialectRequest, asking: Asking): Promise<JsonObject> =>
  evaluated(await asking.ask(questionOf(bodyOf(Evaluation, request), asking.now())));

/** With `deny_on_first_deny` and `permit_on_first_permit` no question is evaluated after the deciding one. */
const isFinal = (semantic: string | undefined, decision: unknown): boolean =>
  (semantic === 'deny_on_first_deny' && decision === false) ||
  (semantic === 'permit_on_first_permit' && decision === true);

/** From the configuration, never from the request: a Host header must not say where decisions are made. */
const metadata = (_request: DialectRequest, { publicUrl }: Asking): Promise<JsonObject> =>
  Promise.resolve({
    policy_decision_point: publicUrl,
    ...Object.fromEntries(
      Object.entries(ENDPOINTS).map(([name, path]) => [name, `${publicUrl}${path}`]),
    ),
  });

type Handler = (request: DialectRequest, asking: Asking) => Promise<JsonObject>;

const HANDLERS: ReadonlyMap<string, Handler> = new Map([
  [`POST ${ENDPOINTS.access_evaluation_endpoint}`, evaluate],
  [`POST ${ENDPOINTS.access_evaluations_endpoint}`, evaluateMany],
  [`POST ${ENDPOINTS.search_subject_endpoint}`, searchSubjects],
  [`POST ${ENDPOINTS.search_resource_endpoint}`, searchResources],
  [`POST ${ENDPOINTS.search_action_endpoint}`, searchActions],
  [`GET ${METADATA}`, metadata],
]);

/** AuthZEN 1.0: evaluation, evaluations, the three searches, and the metadata that names them. */
export const AUTHZEN: Dialect = {
  answers: (path) => path === METADATA || path.startsWith('/access/v1/'),
  bodyLimit: BODY_LIMIT,
  answer: async (request, asking): Promise<DialectAnswer> => {
    const handler = HANDLERS.get(`${request.method} ${request.path}`);
    if (handler === undefined) throw new NotFoundError('There is no such endpoint here.');
    return json(await handler(request, asking), requestIdOf(request));
  },
};

function bodyOf<S extends TSchema>(schema: S, { body }: DialectRequest): Static<S> {
  if (body.length === 0) throw new BadRequestError('The request needs a JSON body.');
  return parse(schema, parseJson(body), 'request');
}

async function evaluateMany(request: DialectRequest, asking: Asking): Promise<JsonObject> {
  const { evaluations, options, ...common } = bodyOf(Evaluations, request);
  if (evaluations === undefined || evaluations.length === 0) return evaluate(request, asking);
  const answers: JsonObject[] = [];
  for (const one of evaluations) {
    const whole = parse(Evaluation, { ...common, ...one }, 'evaluation');
    const answer = evaluated(await asking.ask(questionOf(whole, asking.now())));
    answers.push(answer);
    if (isFinal(options?.evaluations_semantic, answer['decision'])) break;
  }
  return { evaluations: answers };
}

async function searchSubjects(request: DialectRequest, asking: Asking): Promise<JsonObject> {
  const { subject, page, ...rest } = bodyOf(SubjectSearch, request);
  const candidates = candidatesIn(rest.context) ?? kindsOfSubjects(subject.type, rest.resource);
  const found = await allowedOf(asking, candidates, (candidate) => ({
    ...rest,
    subject: candidate,
  }));
  return pageOf(found, page);
}

async function searchResources(request: DialectRequest, asking: Asking): Promise<JsonObject> {
  const { resource, page, ...rest } = bodyOf(ResourceSearch, request);
  const candidates = candidatesIn(rest.context) ?? kindsOfResources(resource.type, rest.subject);
  const found = await allowedOf(asking, candidates, (candidate) => ({
    ...rest,
    resource: candidate,
  }));
  return pageOf(found, page);
}

async function searchActions(request: DialectRequest, asking: Asking): Promise<JsonObject> {
  const search = bodyOf(ActionSearch, request);
  return pageOf(await allowedActions(asking, search), search.page);
}

function requestIdOf({ headers }: DialectRequest): Record<string, string> {
  const id = headers['x-request-id'];
  return typeof id === 'string' && /^[\w.-]{1,128}$/u.test(id) ? { 'X-Request-ID': id } : {};
}
