import { CHANGE, minorOf, NotFoundError } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { Router } from 'express';
import { findDocument } from '../../application/node-documents.js';
import { filterHeaderOf, NODE_FILTER_FIELDS, restrictionOf } from '../../domain/visibility.js';
import { type Stores } from '../../ports/stores.js';
import { byReader } from '../by-reader.js';
import { pathPart } from '../internal-query.js';
import { textParameters } from '../list-query.js';
import { findNamed } from '../named-node.js';
import { always, requestedMembers } from '../query-members.js';
import {
  BIOS_BRIEF,
  BIOS_MEMBERS,
  BIOS_WHOLE,
  biosView,
  firmwareView,
  itemsIn,
} from '../views/part-views.js';

type PartStores = Pick<Stores, 'nodes' | 'nodeDocuments'>;

const REGISTRY = CHANGE.biosRegistry.minor;
const BIOS_PARAMETERS = { detail: REGISTRY, fields: REGISTRY };
const MOMENTS = ['created_at', 'updated_at'];
const BIOS = { brief: [...MOMENTS, ...BIOS_BRIEF], whole: [...MOMENTS, ...BIOS_WHOLE] };

// Far more than a chassis of any make holds.
const MAX_CHILDREN = 10_000;

/** Read-only routes below the path of a node. */
export const nodePartRouters = (stores: PartStores): readonly Router[] => [
  biosRouter(stores),
  hardwareRouter(stores),
  childrenRouter(stores),
];

/** `/v1/nodes/{id}/bios`, since 1.40. */
function biosRouter(stores: PartStores): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/nodes/:ident/bios', async (request, response) => {
    const context = contextOf(request);
    const minor = minorOf(context);
    const given = textParameters(request.query, BIOS_PARAMETERS, minor);
    const fields = requestedMembers(given, minor, BIOS, always(BIOS_MEMBERS));
    const { uuid } = await findNamed(stores, request);
    const document = await findDocument(stores, uuid, 'bios');
    if (document === undefined) response.json({ bios: [] });
    else
      response.json({
        bios: itemsIn(document, 'settings').map((item) =>
          biosView(item, document, fields, context.public_base),
        ),
      });
  });
  router.get('/v1/nodes/:ident/bios/:setting', async (request, response) => {
    const context = contextOf(request);
    const minor = minorOf(context);
    textParameters(request.query, {}, minor);
    const { uuid } = await findNamed(stores, request);
    const name = pathPart(request, 'setting');
    const document = await findDocument(stores, uuid, 'bios');
    const item =
      document === undefined
        ? undefined
        : itemsIn(document, 'settings').find((setting) => setting['name'] === name);
    if (item === undefined || document === undefined)
      throw NotFoundError.part(`Node ${uuid} doesn't have a BIOS setting '${name.slice(0, 255)}'`);
    const fields = minor >= REGISTRY ? BIOS.whole : BIOS.brief;
    response.json({ [name]: biosView(item, document, fields, context.public_base) });
  });
  return router;
}

/** `/v1/nodes/{id}/firmware` (1.86) and `/v1/nodes/{id}/inventory` (1.81). */
function hardwareRouter(stores: PartStores): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/nodes/:ident/firmware', async (request, response) => {
    const minor = minorOf(contextOf(request));
    textParameters(request.query, {}, minor);
    const { uuid } = await findNamed(stores, request);
    const document = await findDocument(stores, uuid, 'firmware');
    if (document === undefined) response.json({ firmware: [] });
    else
      response.json({
        firmware: itemsIn(document, 'components').map((item) =>
          firmwareView(item, document, minor),
        ),
      });
  });
  router.get('/v1/nodes/:ident/inventory', async (request, response) => {
    textParameters(request.query, {}, minorOf(contextOf(request)));
    const { uuid } = await findNamed(stores, request);
    const kept = await findDocument(stores, uuid, 'inventory');
    if (kept === undefined)
      throw NotFoundError.part(`Node inventory record for node ${uuid} could not be found.`);
    const { inventory, plugin_data } = kept.document;
    response.json({ inventory, plugin_data: plugin_data ?? {} });
  });
  return router;
}

/** `/v1/nodes/{id}/children`, since 1.83: those that the caller may see. */
function childrenRouter({ nodes }: PartStores): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/nodes/:ident/children', byReader, async (request, response) => {
    const context = contextOf(request);
    const { filter } = context.obligations;
    textParameters(request.query, {}, minorOf(context));
    const { uuid } = await findNamed({ nodes }, request);
    const { rows } = await nodes.page({
      anyOf: restrictionOf(filter, NODE_FILTER_FIELDS),
      where: [{ field: 'parent_node', op: 'eq', value: uuid }],
      order: { field: null, descending: false },
      after: null,
      limit: MAX_CHILDREN,
      fields: [],
    });
    response.set('X-Tenure-Policy-Filter', filterHeaderOf(filter)).json({
      children: rows.map((child) => child.uuid),
      links: {
        href: `${context.public_base}/v1/nodes?parent_node=${uuid}`,
        rel: 'children',
      },
    });
  });
  return router;
}
