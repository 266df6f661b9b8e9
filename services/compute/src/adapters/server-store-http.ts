import { Type } from '@sinclair/typebox';
import { type CallContext, ServerPlacement, ServerRecord } from '@tenure/contracts';
import { expectAnswer, type ServiceClient } from '@tenure/http';
import { type ServerStore } from '../ports/server-store.js';

// `more`: the page may be shorter than its limit, because it is also bounded in bytes.
const Rows = Type.Object({
  servers: Type.Array(Type.Unknown()),
  more: Type.Optional(Type.Boolean()),
});

const pathOf = (uuid: string, below = ''): string =>
  `/internal/servers/${encodeURIComponent(uuid)}${below}`;

const recordOf = (answer: unknown): ServerRecord => expectAnswer(ServerRecord, answer);

/** Servers over the inventory's internal API (docs/contracts.md, "Inventory, internal"). */
export const serverStoreHttp = (client: ServiceClient): ServerStore => ({
  create: async (server, context) =>
    recordOf(
      await client.call({ method: 'POST', target: '/internal/servers', body: server, context }),
    ),
  find: async (uuid, context) =>
    recordOf(await client.call({ method: 'GET', target: pathOf(uuid), context })),
  list: async (query, limit, context) => {
    // One more than is wanted: then it is known whether there are more.
    const parameters = new URLSearchParams({ ...query, limit: String(limit + 1) });
    const target = `/internal/servers?${parameters.toString()}`;
    const { servers, more = false } = expectAnswer(
      Rows,
      await client.call({ method: 'GET', target, context }),
    );
    return { servers: servers.slice(0, limit).map(recordOf), more: more || servers.length > limit };
  },
  update: async ({ uuid, revision }, set, context) => {
    const body = { expected_revision: revision, set };
    return recordOf(await client.call({ method: 'PATCH', target: pathOf(uuid), body, context }));
  },
  remove: async ({ uuid, revision }, context) => {
    const body = { expected_revision: revision };
    await client.call({ method: 'POST', target: pathOf(uuid, '/removal'), body, context });
  },
  placement: async (uuid, context: CallContext) =>
    expectAnswer(
      ServerPlacement,
      await client.call({ method: 'GET', target: pathOf(uuid, '/placement'), context }),
    ),
  writeInstance: async (uuid, info, context) => {
    const body = { instance_info: info };
    await client.call({ method: 'PUT', target: pathOf(uuid, '/instance'), body, context });
  },
});
