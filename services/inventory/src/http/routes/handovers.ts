import { HANDOVER_CATALOGUE, limitIn, minorOf } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, Router } from 'express';
import { listHandovers, visibleHandover } from '../../application/handovers/find-handovers.js';
import { filterHeaderOf, maskedInRow } from '../../domain/visibility.js';
import { type Projected } from '../../ports/record-store.js';
import { type StoredHandover, type Stores } from '../../ports/stores.js';
import { byReader } from '../by-reader.js';
import { pathPart } from '../internal-query.js';
import { nextLink, type Query, textParameters } from '../list-query.js';
import { findNamed } from '../named-node.js';
import { membersOf, requestedMembers } from '../query-members.js';
import { handoverRecordFields, handoverView } from '../views/handover-view.js';

type HandoverStores = Pick<Stores, 'nodes' | 'handovers'>;

const { members, listFields, sinceOf } = HANDOVER_CATALOGUE;
const PARAMETERS = { detail: 1, fields: 1, limit: 1, marker: 1 };
const MEMBERS = { brief: listFields, whole: members };

/** The routes of handovers: of one node, or of all. */
interface Place {
  /** Without `/v1/`. */
  readonly path: string;
  readonly nodeUuid: string | undefined;
}

const EVERYWHERE: Place = { path: 'handovers', nodeUuid: undefined };

/** `/v1/nodes/{id}/handovers` and `/v1/handovers`: how nodes passed from one tenancy to the next. Nothing writes them. */
export function handoverRouter(stores: HandoverStores): Router {
  const router = Router({ caseSensitive: true });
  const header = (request: Request): string =>
    filterHeaderOf(contextOf(request).obligations.filter);
  router.get('/v1/nodes/:ident/handovers', byReader, async (request, response) => {
    const body = await listAt(stores, request, await onNode(stores, request));
    response.set('X-Tenure-Policy-Filter', header(request)).json(body);
  });
  router.get('/v1/nodes/:ident/handovers/:handover', async (request, response) => {
    response.json(await showAt(stores, request, await onNode(stores, request)));
  });
  router.get('/v1/handovers', byReader, async (request, response) => {
    const body = await listAt(stores, request, EVERYWHERE);
    response.set('X-Tenure-Policy-Filter', header(request)).json(body);
  });
  router.get('/v1/handovers/:handover', async (request, response) => {
    response.json(await showAt(stores, request, EVERYWHERE));
  });
  return router;
}

async function listAt(
  stores: HandoverStores,
  request: Request,
  place: Place,
): Promise<Readonly<Record<string, unknown>>> {
  const { obligations, public_base: base, ...context } = contextOf(request);
  const minor = minorOf(context);
  const given = textParameters(request.query, PARAMETERS, minor);
  const fields = requestedMembers(given, minor, MEMBERS, sinceOf);
  const limit = limitIn(given['limit']);
  const { nodeUuid, path } = place;
  const { filter } = obligations;
  const { marker } = given;
  const read = handoverRecordFields(fields);
  const { rows, more } = await listHandovers(stores, { nodeUuid, filter, marker, limit, read });
  const handovers = rows.map((record) => viewOf(record, request, place, fields));
  const last = rows.at(-1);
  return more && last !== undefined
    ? {
        handovers,
        next: nextLink(`/v1/${path}`, { kept: keptIn(given), limit }, last.uuid, base),
      }
    : { handovers };
}

async function onNode(stores: HandoverStores, request: Request): Promise<Place> {
  const { uuid } = await findNamed(stores, request);
  return { path: `nodes/${uuid}/handovers`, nodeUuid: uuid };
}

async function showAt(stores: HandoverStores, request: Request, place: Place): Promise<unknown> {
  const context = contextOf(request);
  const minor = minorOf(context);
  const given = textParameters(request.query, { fields: 1 }, minor);
  const fields = membersOf(given['fields'], minor, sinceOf);
  const { nodeUuid } = place;
  const { filter } = context.obligations;
  const ident = pathPart(request, 'handover');
  return viewOf(await visibleHandover(stores, ident, { nodeUuid, filter }), request, place, fields);
}

function viewOf(
  record: Projected<StoredHandover>,
  request: Request,
  { path }: Place,
  fields: readonly string[] | undefined,
): unknown {
  const { public_base: base, obligations } = contextOf(request);
  return handoverView(record, { base, path, masked: maskedInRow(record, obligations) }, fields);
}

/** The parameters that the link to the next page repeats. */
const keptIn = (given: Query): readonly (readonly [string, string])[] =>
  Object.entries(given).filter(([name]) => name === 'detail' || name === 'fields');
