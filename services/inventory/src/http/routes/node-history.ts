import { BadRequestError, limitIn, minorOf, NotFoundError } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { Router } from 'express';
import { historyOf, keepLatestEvent } from '../../application/node-history.js';
import { type Stores } from '../../ports/stores.js';
import { byReader } from '../by-reader.js';
import { pathPart } from '../internal-query.js';
import { nextLink, type Query, textParameters } from '../list-query.js';
import { findNamed } from '../named-node.js';
import { always, requestedMembers } from '../query-members.js';
import { HISTORY_BRIEF, HISTORY_MEMBERS, HISTORY_WHOLE, historyView } from '../views/part-views.js';

type HistoryStores = Pick<Stores, 'nodes' | 'nodeHistory'>;

const SINCE = 78;
const PARAMETERS = { detail: SINCE, fields: SINCE, limit: SINCE, marker: SINCE };
const MEMBERS = { brief: HISTORY_BRIEF, whole: HISTORY_WHOLE };

/** `/v1/nodes/{id}/history`, since 1.78. */
export function historyRouter(stores: HistoryStores): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/nodes/:ident/history', byReader, async (request, response) => {
    const { obligations, public_base: base, ...context } = contextOf(request);
    const minor = minorOf(context);
    const given = textParameters(request.query, PARAMETERS, minor);
    const fields = requestedMembers(given, minor, MEMBERS, always(HISTORY_MEMBERS));
    const limit = limitIn(given['limit']);
    const node = await findNamed(stores, request);
    const entries = await historyOf(stores, node);
    const { marker } = given;
    const start = marker === undefined ? 0 : entries.findIndex((one) => one.uuid === marker) + 1;
    if (marker !== undefined && start === 0) throw noEntry(marker);
    const page = entries.slice(start, start + limit);
    const last = page.at(-1);
    const history = page.map((entry) =>
      historyView(entry, fields, obligations.fields.masked, base),
    );
    const path = `/v1/nodes/${node.uuid}/history`;
    response.json(
      last === undefined || entries.at(-1) === last
        ? { history }
        : { history, next: nextLink(path, { kept: keptIn(given), limit }, last.uuid, base) },
    );
  });
  router.get('/v1/nodes/:ident/history/:event', async (request, response) => {
    const context = contextOf(request);
    textParameters(request.query, {}, minorOf(context));
    const node = await findNamed(stores, request);
    const event = pathPart(request, 'event');
    if (event.length > 64) throw new BadRequestError('An event is named by its UUID.');
    await keepLatestEvent(stores.nodeHistory, node);
    const entry = await stores.nodeHistory.findBy('uuid', event);
    if (entry?.node_uuid !== node.uuid) throw noEntry(event);
    response.json(
      historyView(entry, HISTORY_WHOLE, context.obligations.fields.masked, context.public_base),
    );
  });
  return router;
}

const noEntry = (event: string): NotFoundError =>
  NotFoundError.part(`Node history record ${event.slice(0, 64)} could not be found.`);

/** The parameters that the link to the next page repeats. */
const keptIn = (given: Query): readonly (readonly [string, string])[] =>
  Object.entries(given).filter(([name]) => name === 'detail' || name === 'fields');
