import { ask } from '../../support/http-client.js';
import { type Tenure } from '../../support/tenure.js';

/** A parameter of a route; `values` when it takes nothing but these. */
export interface Parameter {
  readonly name: string;
  readonly values: readonly string[] | null;
}

/** A route that is read with GET. */
export interface ReadRoute {
  readonly path: string;
  readonly inPath: readonly Parameter[];
  readonly inQuery: readonly Parameter[];
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly $ref?: string;
}

interface Described {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface Description {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly parameters?: readonly (Described | Schema)[] } }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Every route that is read, as the API describes itself. */
export async function readRoutes(tenure: Tenure): Promise<readonly ReadRoute[]> {
  const answer = await ask(tenure, null, 'GET /openapi.json');
  if (answer.status !== 200) throw new Error(`GET /openapi.json: ${String(answer.status)}`);
  const { paths, components } = answer.json as Description; // what OpenAPI says of itself
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema);
  const valuesOf = (schema: Schema): readonly string[] | null => {
    const { type, enum: values, items } = resolved(schema);
    if (values !== undefined) return values;
    if (type === 'boolean') return ['true', 'false'];
    if (type === 'integer') return ['1', '3'];
    return items === undefined ? null : valuesOf(items);
  };
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined) return [];
    const described = (get.parameters ?? []).filter(
      (one): one is Described => 'name' in one && 'in' in one,
    );
    const parametersIn = (place: string): readonly Parameter[] =>
      described
        .filter((one) => one.in === place)
        .map(({ name, schema }) => ({ name, values: valuesOf(schema) }));
    return [{ path, inPath: parametersIn('path'), inQuery: parametersIn('query') }];
  });
}

/** The values that a list can be sorted by. */
export function sortKeysOf(routes: readonly ReadRoute[], path: string): readonly string[] {
  const route = routes.find((one) => one.path === path);
  const keys = route?.inQuery.find(({ name }) => name === 'sort_key')?.values ?? [];
  if (keys.length === 0) throw new Error(`${path} has no sort keys`);
  return keys;
}
