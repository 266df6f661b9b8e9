import { type ContextClaims, type NodeRecord, NotFoundError } from '@tenure/contracts';
import { contextOf, createServiceApp } from '@tenure/http';
import { createLogger } from '@tenure/process';
import { type ContextKeys } from '@tenure/signed-context';
import { type Express, Router } from 'express';
import {
  type DocumentChange,
  type DocumentKind,
  type FencedChange,
  type InventoryPort,
  type NodeEvent,
  type Reservation,
  type TakeOver,
} from '../ports/inventory-port.js';

const addConductorRoutes = (router: Router, inventory: InventoryPort): void => {
  router.post('/internal/nodes/:uuid/history', async (request, response) => {
    const { uuid } = request.params;
    await inventory.recordEvent(contextOf(request), uuid, request.body as NodeEvent);
    response.status(204).end();
  });
  router.get('/internal/conductors', async (request, response) => {
    response.json({ conductors: await inventory.listConductors(contextOf(request)) });
  });
  router.put('/internal/conductors/:hostname', async (request, response) => {
    await inventory.report(
      contextOf(request),
      request.params.hostname,
      request.body as Parameters<InventoryPort['report']>[2],
    );
    response.status(204).end();
  });
  router.delete('/internal/conductors/:hostname', async (request, response) => {
    await inventory.deregister(contextOf(request), request.params.hostname);
    response.status(204).end();
  });
};

/** The routes of docs/contracts.md, "Inventory, internal", over any inventory: what the HTTP adapter is tested against. */
export const createInventoryService = (
  inventory: InventoryPort,
  keys: ContextKeys,
  seen: (claims: ContextClaims) => void,
): Express => {
  const router = Router();
  router.use((request, _response, next) => {
    seen(contextOf(request));
    next();
  });
  router.get('/internal/nodes', async (request, response) => {
    const { limit, marker, reservation, departed } = request.query as Record<
      string,
      string | undefined
    >;
    const nodes: readonly NodeRecord[] = await inventory.listNodes(contextOf(request), {
      limit: Number(limit),
      ...(marker !== undefined && { marker }),
      ...(reservation !== undefined && { reservedBy: reservation }),
      ...(departed === 'true' && { ofDeparted: true }),
    });
    response.json({ nodes });
  });
  router.get('/internal/nodes/:uuid', async (request, response) => {
    response.json(await inventory.getNode(contextOf(request), request.params.uuid));
  });
  router.post('/internal/nodes/:uuid/reservation', async (request, response) => {
    response.json(
      await inventory.reserve(contextOf(request), request.params.uuid, request.body as Reservation),
    );
  });
  router.post('/internal/nodes/:uuid/reservation/takeover', async (request, response) => {
    const asked = request.body as TakeOver;
    response.json(await inventory.takeOver(contextOf(request), request.params.uuid, asked));
  });
  router.patch('/internal/nodes/:uuid', async (request, response) => {
    response.json(
      await inventory.change(contextOf(request), request.params.uuid, request.body as FencedChange),
    );
  });
  router.get('/internal/nodes/:uuid/documents/:kind', async (request, response) => {
    const { uuid, kind } = request.params;
    const found = await inventory.getDocument(contextOf(request), uuid, kind as DocumentKind);
    if (found === undefined) throw NotFoundError.of('Document', kind);
    response.json(found);
  });
  router.put('/internal/nodes/:uuid/documents/:kind', async (request, response) => {
    const { uuid, kind } = request.params;
    const change = request.body as DocumentChange;
    await inventory.putDocument(contextOf(request), uuid, kind as DocumentKind, change);
    response.status(204).end();
  });
  addConductorRoutes(router, inventory);
  return createServiceApp({
    keys,
    logger: createLogger('inventory', 'fatal'),
    bodyLimit: 65_536,
    routers: [router],
  });
};
