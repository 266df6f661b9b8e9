import { STATUS_CODES } from 'node:http';
import { type TSchema, Type } from '@sinclair/typebox';
import { type Api } from '../../dialects/dialect.js';
import { type Answer } from '../../routes/answers.js';
import { type Route } from '../../routes/route.js';
import { APIS, EVERY_API } from './apis.js';
import { REFUSALS, refusalsOf, type RefusalStatus } from './refusals.js';
import { type SchemaWriter } from './schemas.js';

type Json = Readonly<Record<string, unknown>>;

interface HeaderForm {
  readonly about: string;
  readonly schema: TSchema;
  readonly required: boolean;
}

const Version = Type.String({ pattern: '^1\\.[0-9]{1,4}$' });
/** Fields of rows that the policy compares with the caller. */
const FILTER_FIELD = '(?:owner|lessee|project_id|node_uuid|from_project|to_project)';
const RequestId = Type.String({ pattern: '^req-[0-9a-f-]{36}$' });
const always = (about: string, schema: TSchema): HeaderForm => ({ about, schema, required: true });

/** Components of all response headers, by name. */
const HEADERS = {
  'X-OpenStack-Request-Id': always('What the logs of every part call this request.', RequestId),
  'OpenStack-Request-Id': always('The same, under its older name.', RequestId),
  'X-OpenStack-Ironic-API-Minimum-Version': always('The oldest microversion served.', Version),
  'X-OpenStack-Ironic-API-Maximum-Version': always('The newest microversion served.', Version),
  'X-OpenStack-Ironic-API-Version': {
    about: 'The microversion of this answer; absent when the request was refused before.',
    schema: Version,
    required: false,
  },
  'X-Compute-Request-Id': always('The same, as clients of the compute API know it.', RequestId),
  'X-OpenStack-Nova-API-Version': {
    about: 'The microversion of this answer; absent when the request was refused before.',
    schema: Type.String({ pattern: '^2\\.[0-9]{1,4}$' }),
    required: false,
  },
  'OpenStack-API-Version': {
    about: 'The same, with the name of the service.',
    schema: Type.String({ pattern: '^compute 2\\.[0-9]{1,4}$' }),
    required: false,
  },
  'X-Tenure-Decision-Id': {
    about: 'Id of the decision about this request in the decision log.',
    schema: Type.String({ format: 'uuid' }),
    required: false,
  },
  'X-Tenure-Policy-Filter': always(
    'Which rows the policy let through: all, none, or those of which one of these fields fits the caller.',
    Type.String({ pattern: `^(?:all|none|${FILTER_FIELD}(?:,${FILTER_FIELD})*)$` }),
  ),
  Location: always('Where the result is found.', Type.String({ format: 'uri' })),
  ETag: always('Digest of the answer.', Type.String()),
  'Cache-Control': always('How long the answer may be kept.', Type.String()),
  Allow: {
    about: 'Allowed methods; absent when the microversion was too low.',
    schema: Type.String(),
    required: false,
  },
  'Retry-After': always('Seconds.', Type.String({ pattern: '^[0-9]+$' })),
  'WWW-Authenticate': always('How to authenticate.', Type.String()),
} as const satisfies Record<string, HeaderForm>;

type HeaderName = keyof typeof HEADERS;

const CACHED = ['ETag', 'Cache-Control'] as const;

const refTo = (kind: 'headers' | 'responses', name: string): Json => ({
  $ref: `#/components/${kind}/${name}`,
});

const headerRefs = (name: Api, ...more: readonly HeaderName[]): Json =>
  Object.fromEntries(
    [...APIS[name].headers, ...more].map((header) => [header, refTo('headers', header)]),
  );

const notModified = {
  description: STATUS_CODES[304] ?? '',
  headers: headerRefs('baremetal', ...CACHED),
};

export const headerComponents = (writer: SchemaWriter): Json =>
  Object.fromEntries(
    Object.entries<HeaderForm>(HEADERS).map(([name, { about, schema, required }]) => [
      name,
      { description: about, required, schema: writer.write(schema) },
    ]),
  );

export const responseComponents = (writer: SchemaWriter): Json =>
  Object.fromEntries(
    EVERY_API.flatMap((name) =>
      Object.keys(REFUSALS)
        .map(Number)
        .filter(isStatus)
        .map((status) => [
          nameOf(name, status),
          refusal(name, status, contentOf(APIS[name].errorBody, writer)),
        ]),
    ),
  );

/** Every answer that a request to this route may get, by status. An answer to HEAD has no body. */
export const responsesOf = (route: Route, writer: SchemaWriter): Json => ({
  ...Object.fromEntries(
    answersOf(route.answer).map((answer) => [answer.status, success(route, answer, writer)]),
  ),
  ...(route.upstream === 'gateway' && { 304: notModified }),
  ...Object.fromEntries(
    refusalsOf(route).map((status) => [
      status,
      route.method === 'HEAD'
        ? refusal(route.api, status, {})
        : refTo('responses', nameOf(route.api, status)),
    ]),
  ),
});

const isStatus = (status: number): status is RefusalStatus => status in REFUSALS;

/** The component name of an error response. */
const nameOf = (name: Api, status: RefusalStatus): string =>
  `${APIS[name].prefix}${REFUSALS[status].name}`;

function refusal(name: Api, status: RefusalStatus, content: Json): Json {
  const { about, ...form } = REFUSALS[status];
  return {
    description: about,
    headers: headerRefs(name, ...('header' in form ? [form.header] : [])),
    ...content,
  };
}

const contentOf = (schema: TSchema | null, writer: SchemaWriter): Json =>
  schema === null ? {} : { content: { 'application/json': { schema: writer.write(schema) } } };

const answersOf = (answer: Answer): readonly Answer[] =>
  answer.or === undefined ? [answer] : [answer, ...answersOf(answer.or)];

const success = (
  { api, upstream }: Route,
  { status, schema, header }: Answer,
  writer: SchemaWriter,
): Json => ({
  description: STATUS_CODES[status] ?? '',
  headers: headerRefs(
    api,
    ...(upstream === 'gateway' ? CACHED : []),
    ...(header === undefined ? [] : [header]),
  ),
  ...contentOf(schema, writer),
});
