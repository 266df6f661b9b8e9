import { type TSchema, Type } from '@sinclair/typebox';
import { api } from '@tenure/contracts';
import { type Api } from '../../dialects/dialect.js';
import { PATH_PARAMS } from '../../routes/path-params.js';
import { type KeyForm } from '../../routes/query-key.js';
import { QUERY_KEYS } from '../../routes/query-keys.js';
import { type Route } from '../../routes/route.js';
import { APIS, EVERY_API, versionSchema } from './apis.js';
import { type SchemaWriter } from './schemas.js';

type Json = Readonly<Record<string, unknown>>;

/** Parameters that are shared components. */
const SHARED: ReadonlySet<KeyForm> = new Set(Object.values(QUERY_KEYS));

/** Components of the parameters that several routes share. */
export const parameterComponents = (writer: SchemaWriter): Json => ({
  ...Object.fromEntries(
    EVERY_API.map((name) => [APIS[name].versionParameter, microversion(name, writer)]),
  ),
  ...Object.fromEntries(
    Object.entries(QUERY_KEYS).map(([key, form]) => [key, queryParameter(key, form, writer)]),
  ),
});

/** The parameters of a route: header, path and query. */
export const parametersOf = (route: Route, writer: SchemaWriter): readonly Json[] => [
  refTo(APIS[route.api].versionParameter),
  ...inPath(route, writer),
  ...inQuery(route, writer),
];

const microversion = (name: Api, writer: SchemaWriter): Json => ({
  name: APIS[name].versionHeader,
  in: 'header',
  description: 'The requested microversion; the oldest one when it is left out.',
  schema: writer.write(versionSchema(APIS[name])),
});

/** A list is one value, separated by commas: a key comes once. */
const queryParameter = (
  key: string,
  { about, schema }: Pick<KeyForm, 'about' | 'schema'>,
  writer: SchemaWriter,
): Json => ({
  name: key,
  in: 'query',
  description: about,
  schema: writer.write(schema),
  ...(schema['type'] === 'array' && { style: 'form', explode: false }),
});

const refTo = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });

/** @throws Error for a segment in braces without a description */
const inPath = ({ path, uuid }: Route, writer: SchemaWriter): readonly Json[] =>
  namesIn(path).map((name) => {
    const form = PATH_PARAMS[name];
    if (form === undefined) throw new Error(`no description of {${name}} in ${path}`);
    const isUuid = uuid?.param === name && uuid.below === undefined;
    return {
      name,
      in: 'path',
      required: true,
      description: isUuid ? 'UUID.' : form.about,
      schema: writer.write(isUuid ? api.Uuid : form.schema),
    };
  });

const inQuery = (route: Route, writer: SchemaWriter): readonly Json[] =>
  [...route.query].map(([key, form]) => {
    const own = recordsOwn(key, route);
    if (own !== undefined) return queryParameter(key, { ...form, schema: own }, writer);
    return SHARED.has(form) ? refTo(key) : queryParameter(key, form, writer);
  });

const namesIn = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/gu)].flatMap(([, name]) => name ?? []);

/** The schema of a key whose values depend on the kind of record in the answer. */
function recordsOwn(key: string, { answer: { record } }: Route): TSchema | undefined {
  if (key === 'fields' && record !== undefined) return Type.Array(record.field, { minItems: 1 });
  return key === 'sort_key' ? record?.sortKey : undefined;
}
