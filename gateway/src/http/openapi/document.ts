import { formatMicroversion, MAX_MICROVERSION } from '@tenure/contracts';
import { type Route } from '../../routes/route.js';
import { APIS } from './apis.js';
import { parameterComponents, parametersOf } from './parameters.js';
import { headerComponents, responseComponents, responsesOf } from './responses.js';
import { createSchemaWriter, type SchemaWriter } from './schemas.js';

type Json = Readonly<Record<string, unknown>>;

/** A description of an API, as OpenAPI 3.1 has it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: Readonly<Record<string, Json>>;
  readonly [member: string]: unknown;
}

const NO_PLURALS: readonly string[] = ['chassis', 'bios'];

const DISCOVERY = 'discovery';

/** Either header carries the token; both at once are refused. */
const SECURITY = [{ token: [] }, { bearer: [] }];

const ABOUT = `Ironic's API, and below /v2.1 Nova's, as far as Tenure serves them. Each operation says which action of the policy it needs (\`x-tenure-action\`)
and which microversion introduced it (\`x-tenure-since\`). Members of answers depend on the microversion as well. A member that the caller may
not see is null, empty, or only says whether there is a value.`;

const info = {
  title: 'Tenure bare-metal API',
  version: formatMicroversion(MAX_MICROVERSION),
  description: ABOUT.replaceAll('\n', ' '),
  license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
};

const securitySchemes = {
  token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
};

/**
 * Describes a route table as OpenAPI 3.1, with the schemas that check its requests.
 * @throws Error when two schemas have one name, or a segment in braces has no description
 */
export function describeRoutes(routes: readonly Route[]): OpenApiDocument {
  const writer = createSchemaWriter();
  const paths = pathsOf(routes, writer);
  const components = {
    parameters: parameterComponents(writer),
    headers: headerComponents(writer),
    responses: responseComponents(writer),
    securitySchemes,
  };
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: { schemas: writer.components(), ...components },
  };
}

function pathsOf(
  routes: readonly Route[],
  writer: SchemaWriter,
): Readonly<Record<string, Record<string, Json>>> {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const item = (paths[route.path] ??= {});
    item[route.method.toLowerCase()] = operationOf(route, writer);
  }
  return paths;
}

/** The collection that a path begins with. */
const tagOf = ({ path }: Route): string => path.split('/')[2] ?? DISCOVERY;

function operationOf(route: Route, writer: SchemaWriter): Json {
  const { action, since, summary } = route;
  const { major, minor } = APIS[route.api].oldest;
  return {
    operationId: operationIdOf(route),
    summary,
    tags: [tagOf(route)],
    ...actionsOf(route),
    'x-tenure-since': `${major}.${String(since?.minor ?? minor)}`,
    security: action === null ? [] : SECURITY,
    parameters: parametersOf(route, writer),
    ...bodyOf(route, writer),
    responses: responsesOf(route, writer),
  };
}

/** `PUT /v1/nodes/{ident}/states/power` is `putNodeStatesPower`. */
function operationIdOf({ method, path }: Route): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const below = segments.length > 1 ? segments.slice(1) : segments;
  const parts = below.flatMap((_, index) => partsOfSegment(below, index));
  return `${method.toLowerCase()}${parts.length === 0 ? 'Root' : parts.map(capitalized).join('')}`;
}

/** The policy action, or the actions of which the request selects one. */
function actionsOf({ action, signedAs }: Route): Json {
  if (typeof action === 'object' && action !== null) return { 'x-tenure-actions': action.among };
  const actionName = action ?? signedAs;
  return actionName === undefined ? {} : { 'x-tenure-action': actionName };
}

const bodyOf = ({ body }: Route, writer: SchemaWriter): Json =>
  body.described === null
    ? {}
    : {
        requestBody: {
          required: !body.isOptional,
          content: { 'application/json': { schema: writer.write(body.described) } },
        },
      };

/** `nodes/{ident}` becomes `Node`. A noun without a plural keeps the name of its parameter, as does a second parameter in a row. */
function partsOfSegment(segments: readonly string[], index: number): readonly string[] {
  const [before, segment = '', next = ''] = [
    segments[index - 1],
    segments[index],
    segments[index + 1],
  ];
  if (isParameter(segment)) return isParameter(before) ? partsOf(segment) : [];
  if (!isParameter(next)) return partsOf(segment);
  const isPlural = segment.endsWith('s') && !NO_PLURALS.includes(segment);
  return isPlural ? partsOf(segment.slice(0, -1)) : [...partsOf(segment), 'by', ...partsOf(next)];
}

const capitalized = (part: string): string => `${part.charAt(0).toUpperCase()}${part.slice(1)}`;

const isParameter = (segment: string | undefined): boolean => segment?.startsWith('{') === true;

const partsOf = (path: string): readonly string[] => path.split(/[^A-Za-z0-9]+/u).filter(Boolean);
