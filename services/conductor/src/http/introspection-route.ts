import { Type } from '@sinclair/typebox';
import { api, parse } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { callContextOf } from '@tenure/signed-context';
import { type Request, Router } from 'express';
import {
  type IntrospectionPage,
  type IntrospectionWork,
} from '../application/introspection-work.js';
import { introspectionView } from '../domain/introspection.js';
import { accepted } from './accepted.js';
import { optionalBody } from './request-node.js';

const MAX_PAGE = 1000;

const Ident = Type.String({ minLength: 1, maxLength: 255 });
const PageQuery = Type.Object({
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,9}$' })),
  marker: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  state: Type.Optional(Type.String({ pattern: '^(?:in:)?[a-z]+(?:,[a-z]+)*$', maxLength: 255 })),
});
const DataBody = Type.Union([
  Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), { maxProperties: 255 }),
  Type.Null(),
]);

/** ironic-inspector's API, `/v1/introspection…`. The context names no node: who may inspect, may inspect any. */
export function introspectionRouter(work: IntrospectionWork): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/introspection', async (request, response) => {
    const claims = contextOf(request);
    const query = pageIn(request);
    const found = await work.list(callContextOf(claims), query);
    const page = found.slice(0, query.limit);
    const last = page.at(-1);
    response.set('X-Tenure-Policy-Filter', 'all').json({
      introspection: page.map((node) => introspectionView(node, claims.public_base)),
      ...(found.length > page.length &&
        last !== undefined && { next: nextOf(claims.public_base, query, last.uuid) }),
    });
  });
  router.get('/v1/introspection/:ident', async (request, response) => {
    const claims = contextOf(request);
    const node = await work.status(callContextOf(claims), identIn(request));
    response.json(introspectionView(node, claims.public_base));
  });
  router.post('/v1/introspection/:ident', async (request, response) => {
    parse(api.VERB.introspection, optionalBody(request), 'introspection');
    await work.start(callContextOf(contextOf(request)), identIn(request));
    accepted(response);
  });
  router.post('/v1/introspection/:ident/abort', async (request, response) => {
    await work.abort(callContextOf(contextOf(request)), identIn(request));
    accepted(response);
  });
  router.use(dataRouter(work));
  return router;
}

/** 0 means the largest page, as everywhere in the API. */
function pageIn(request: Request): IntrospectionPage {
  const { limit = '0', marker, state } = parse(PageQuery, request.query, 'query');
  const requested = Number(limit);
  const states = state?.replace(/^in:/u, '').split(',');
  return { limit: requested === 0 ? MAX_PAGE : Math.min(requested, MAX_PAGE), marker, states };
}

function nextOf(base: string, { limit, states }: IntrospectionPage, marker: string): string {
  const query = new URLSearchParams({
    limit: String(limit),
    marker,
    ...(states !== undefined && { state: states.join(',') }),
  });
  return `${base}/v1/introspection?${query.toString()}`;
}

/** The node is that of the path; openstacksdk repeats it. */

const identIn = (request: Request): string => parse(Ident, request.params['ident'], 'node');

function dataRouter(work: IntrospectionWork): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/introspection/:ident/data', async (request, response) => {
    const data = await work.data(callContextOf(contextOf(request)), identIn(request));
    const { plugin_data: plugins, inventory } = data;
    response.json({ ...(typeof plugins === 'object' ? plugins : {}), inventory });
  });
  router.post('/v1/introspection/:ident/data/unprocessed', async (request, response) => {
    const body = parse(DataBody, (request.body as unknown) ?? null, 'introspection data'); // express types the body as any
    const given = body === null || Object.keys(body).length === 0 ? undefined : body;
    await work.reapply(callContextOf(contextOf(request)), identIn(request), given);
    accepted(response);
  });
  return router;
}
