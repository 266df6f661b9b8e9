import { type TSchema, Type } from '@sinclair/typebox';
import { api, formatMicroversion, MAX_MICROVERSION, MIN_MICROVERSION } from '@tenure/contracts';
import { PATH_PARAMS } from '../routes/path-params.js';
import { QUERY_KEYS, type QueryKey } from '../routes/query-keys.js';
import { type Route } from '../routes/route.js';
import { type SchemaWriter } from './schemas.js';

type Json = Readonly<Record<string, unknown>>;

const MICROVERSION = 'Microversion';

const refTo = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });

const MicroversionHeader = Type.String({
  pattern: '^(?:latest|1\\.[0-9]{1,4})$',
  default: formatMicroversion(MIN_MICROVERSION),
  examples: [formatMicroversion(MAX_MICROVERSION), 'latest'],
});

const microversion = (writer: SchemaWriter): Json => ({
  name: 'X-OpenStack-Ironic-API-Version',
  in: 'header',
  description: 'The microversion asked for; the oldest when it is left out.',
  schema: writer.write(MicroversionHeader),
});

/** A list is one value, separated by commas: a key comes once. */
const queryParameter = (key: QueryKey, schema: TSchema, writer: SchemaWriter): Json => ({
  name: key,
  in: 'query',
  description: QUERY_KEYS[key].about,
  schema: writer.write(schema),
  ...(schema['type'] === 'array' && { style: 'form', explode: false }),
});

const isKey = (name: string): name is QueryKey => Object.hasOwn(QUERY_KEYS, name);

/** The parameters that are the same wherever they are taken. */
export const parameterComponents = (writer: SchemaWriter): Json => ({
  [MICROVERSION]: microversion(writer),
  ...Object.fromEntries(
    Object.keys(QUERY_KEYS)
      .filter(isKey)
      .map((key) => [key, queryParameter(key, QUERY_KEYS[key].schema, writer)]),
  ),
});

const namesIn = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/gu)].flatMap(([, name]) => name ?? []);

/** @throws Error for a segment in braces that nothing is known about */
const inPath = ({ path, uuid }: Route, writer: SchemaWriter): readonly Json[] =>
  namesIn(path).map((name) => {
    const form = PATH_PARAMS[name];
    if (form === undefined) throw new Error(`nothing is known about {${name}} of ${path}`);
    const isUuid = uuid?.param === name && uuid.below === undefined;
    return {
      name,
      in: 'path',
      required: true,
      description: isUuid ? 'UUID.' : form.about,
      schema: writer.write(isUuid ? api.Uuid : form.schema),
    };
  });

/** Of some keys the kind of record that is shown says what they take. */
const recordsOwn = (key: QueryKey, { answer: { record } }: Route): TSchema | undefined => {
  if (key === 'fields' && record !== undefined) return Type.Array(record.field, { minItems: 1 });
  return key === 'sort_key' ? record?.sortKey : undefined;
};

const inQuery = (route: Route, writer: SchemaWriter): readonly Json[] =>
  [...route.query].map((key) => {
    const own = recordsOwn(key, route);
    return own === undefined ? refTo(key) : queryParameter(key, own, writer);
  });

/** Everything that a request to this route says outside of its body. */
export const parametersOf = (route: Route, writer: SchemaWriter): readonly Json[] => [
  refTo(MICROVERSION),
  ...inPath(route, writer),
  ...inQuery(route, writer),
];
