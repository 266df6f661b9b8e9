import { Type } from '@sinclair/typebox';
import { type ContextClaims, minorOf, parse } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, type Response, Router } from 'express';
import { findCurrent } from '../../application/resources/find-resource.js';
import {
  createResource,
  deleteResource,
  type ResourceDependencies,
  updateResource,
} from '../../application/resources/write-resources.js';
import { KINDS } from '../../domain/kinds/all-kinds.js';
import { type ResourceKind } from '../../domain/kinds/resource-kind.js';
import { createdValues, parsedPatch } from '../../domain/resource-values.js';
import { type ResourceRecord } from '../../ports/resource-records.js';
import { byReader } from '../by-reader.js';
import { pathPart } from '../internal-query.js';
import { textParameters } from '../list-query.js';
import { findNamed } from '../named-node.js';
import { membersOf } from '../query-members.js';
import { resourceView } from '../views/resource-view.js';
import { listHeaderOf, type ResourceList, resourceList } from './resource-lists.js';

const CreateBody = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
  maxProperties: 200,
});

// The other kinds ask for everything with `?detail=True` only.
const WITH_DETAIL_PATH: ReadonlySet<string> = new Set(['ports', 'portgroups', 'chassis']);

/** The routes of every kind of record beside nodes and allocations. */
export function resourceRouters(deps: ResourceDependencies): readonly Router[] {
  const kinds = Object.values(KINDS);
  return [
    ...kinds.flatMap((kind) => [readRouter(deps, kind), writeRouter(deps, kind)]),
    ...kinds.filter(({ onNode }) => onNode).map((kind) => nodeListRouter(deps, kind)),
    portgroupPortsRouter(deps),
  ];
}

function readRouter(deps: ResourceDependencies, kind: ResourceKind): Router {
  const router = Router({ caseSensitive: true });
  const paths = WITH_DETAIL_PATH.has(kind.section) ? ['', '/detail'] : [''];
  for (const suffix of paths) {
    const path = `/v1/${kind.path}${suffix}`;
    router.get(path, byReader, (request, response) =>
      answerList(deps, request, response, { kind, path, whole: suffix !== '' }),
    );
  }
  router.get(`/v1/${kind.path}/:ident`, async (request, response) => {
    const context = contextOf(request);
    const minor = minorOf(context);
    const { fields } = textParameters(
      request.query,
      { fields: kind.catalogue.viewSince.fields },
      minor,
    );
    const wanted = membersOf(fields, minor, kind.catalogue.sinceOf);
    const { record } = await findCurrent(deps.stores, kind, identIn(request), context);
    response.json(viewOf(kind, record, context, wanted));
  });
  return router;
}

function writeRouter(deps: ResourceDependencies, kind: ResourceKind): Router {
  const router = Router({ caseSensitive: true });
  const noParameters = (request: Request): ContextClaims => {
    const context = contextOf(request);
    textParameters(request.query, {}, minorOf(context));
    return context;
  };
  router.post(`/v1/${kind.path}`, async (request, response) => {
    const context = noParameters(request);
    const body = parse(CreateBody, request.body, kind.what);
    const values = createdValues(kind, body, minorOf(context));
    const { record } = await createResource(deps, kind, values, context);
    response.status(201).location(`${context.public_base}/v1/${kind.path}/${record.uuid}`);
    response.json(viewOf(kind, record, context));
  });
  router.patch(`/v1/${kind.path}/:ident`, async (request, response) => {
    const context = noParameters(request);
    const operations = parsedPatch(kind, request.body, minorOf(context));
    const update = { ident: identIn(request), operations };
    const { record } = await updateResource(deps, kind, update, context);
    response.json(viewOf(kind, record, context));
  });
  router.delete(`/v1/${kind.path}/:ident`, async (request, response) => {
    const context = noParameters(request);
    await deleteResource(deps, kind, identIn(request), context);
    response.status(204).end();
  });
  return router;
}

/** Lists of the records of one node: `/v1/nodes/{id}/ports`. */
function nodeListRouter(deps: ResourceDependencies, kind: ResourceKind): Router {
  const router = Router({ caseSensitive: true });
  const suffixes = WITH_DETAIL_PATH.has(kind.section) ? ['', '/detail'] : [''];
  for (const suffix of suffixes)
    router.get(`/v1/nodes/:ident/${kind.path}${suffix}`, byReader, async (request, response) => {
      const { uuid } = await findNamed(deps.stores, request);
      const path = `/v1/nodes/${uuid}/${kind.path}${suffix}`;
      const below = [{ field: 'node_uuid', op: 'eq', value: uuid }] as const;
      await answerList(deps, request, response, { kind, path, whole: suffix !== '', below });
    });
  return router;
}

/** `/v1/portgroups/{id}/ports`. */
function portgroupPortsRouter(deps: ResourceDependencies): Router {
  const router = Router({ caseSensitive: true });
  for (const suffix of ['', '/detail'])
    router.get(`/v1/portgroups/:ident/ports${suffix}`, byReader, async (request, response) => {
      const context = contextOf(request);
      const ident = identIn(request);
      const { record } = await findCurrent(deps.stores, KINDS.portgroups, ident, context);
      await answerList(deps, request, response, {
        kind: KINDS.ports,
        path: `/v1/portgroups/${record.uuid}/ports${suffix}`,
        whole: suffix !== '',
        below: [{ field: 'portgroup_uuid', op: 'eq', value: record.uuid }],
      });
    });
  return router;
}

async function answerList(
  { stores }: ResourceDependencies,
  request: Request,
  response: Response,
  list: ResourceList,
): Promise<void> {
  const body = await resourceList(stores, request, list);
  response.set('X-Tenure-Policy-Filter', listHeaderOf(list.kind, contextOf(request))).json(body);
}

const identIn = (request: Request): string => pathPart(request, 'ident');

function viewOf(
  kind: ResourceKind,
  record: ResourceRecord,
  context: ContextClaims,
  fields?: readonly string[],
): Readonly<Record<string, unknown>> {
  const masked = new Set(context.obligations.fields.masked);
  const options = { base: context.public_base, minor: minorOf(context), masked };
  return resourceView(kind, record, options, fields);
}
