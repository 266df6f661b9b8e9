import { Type } from '@sinclair/typebox';
import { ServerPlacement, ServerRecord } from '@tenure/contracts';
import { callFor, pageOf, type ServiceClient } from '@tenure/http';
import { type ServerStore } from '../ports/server-store.js';

const Rows = Type.Object({
  servers: Type.Array(ServerRecord),
  more: Type.Optional(Type.Boolean()),
});

/** Servers over the inventory's internal API (docs/contracts/inventory.md). */
export const serverStoreHttp = (client: ServiceClient): ServerStore => ({
  create: (server, context) =>
    callFor(client, ServerRecord, {
      method: 'POST',
      target: '/internal/servers',
      body: server,
      context,
    }),
  find: (uuid, context) =>
    callFor(client, ServerRecord, { method: 'GET', target: pathOf(uuid), context }),
  list: async (query, limit, context) => {
    const parameters = new URLSearchParams({ ...query, limit: String(limit + 1) });
    const target = `/internal/servers?${parameters.toString()}`;
    const found = await callFor(client, Rows, { method: 'GET', target, context });
    const { rows: servers, more } = pageOf(found.servers, limit, found.more);
    return { servers, more };
  },
  update: ({ uuid, revision }, set, context) =>
    callFor(client, ServerRecord, {
      method: 'PATCH',
      target: pathOf(uuid),
      body: { expected_revision: revision, set },
      context,
    }),
  remove: async ({ uuid, revision }, context) => {
    const body = { expected_revision: revision };
    await client.call({ method: 'POST', target: pathOf(uuid, '/removal'), body, context });
  },
  placement: (uuid, context) =>
    callFor(client, ServerPlacement, {
      method: 'GET',
      target: pathOf(uuid, '/placement'),
      context,
    }),
  writeInstance: async (uuid, info, context) => {
    const body = { instance_info: info };
    await client.call({ method: 'PUT', target: pathOf(uuid, '/instance'), body, context });
  },
});

const pathOf = (uuid: string, below = ''): string =>
  `/internal/servers/${encodeURIComponent(uuid)}${below}`;
