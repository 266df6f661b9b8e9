import { Type } from '@sinclair/typebox';
import { ServerPlacement, ServerRecord } from '@tenure/contracts';
import { type OnBehalf } from '../ports/on-behalf.js';
import { type ServerStore } from '../ports/server-store.js';
import { type CallPart, expectAnswer } from './part-call.js';

// `more`: the page may be shorter than its limit, because it is also bounded in bytes.
const Rows = Type.Object({
  servers: Type.Array(Type.Unknown()),
  more: Type.Optional(Type.Boolean()),
});

const pathOf = (uuid: string, below = ''): string =>
  `/internal/servers/${encodeURIComponent(uuid)}${below}`;

const recordOf = (answer: unknown): ServerRecord => expectAnswer(ServerRecord, answer);

/** Servers over the inventory's internal API (docs/contracts.md, "Inventory, internal"). */
export const serverStoreHttp = (call: CallPart): ServerStore => ({
  create: async (server, on) =>
    recordOf(await call({ method: 'POST', target: '/internal/servers', body: server, on })),
  find: async (uuid, on) => recordOf(await call({ method: 'GET', target: pathOf(uuid), on })),
  list: async (query, limit, on) => {
    // One more than is wanted: then it is known whether there are more.
    const parameters = new URLSearchParams({ ...query, limit: String(limit + 1) });
    const target = `/internal/servers?${parameters.toString()}`;
    const { servers, more = false } = expectAnswer(Rows, await call({ method: 'GET', target, on }));
    return { servers: servers.slice(0, limit).map(recordOf), more: more || servers.length > limit };
  },
  update: async ({ uuid, revision }, set, on) => {
    const body = { expected_revision: revision, set };
    return recordOf(await call({ method: 'PATCH', target: pathOf(uuid), body, on }));
  },
  remove: async ({ uuid, revision }, on) => {
    const body = { expected_revision: revision };
    await call({ method: 'POST', target: pathOf(uuid, '/removal'), body, on });
  },
  placement: async (uuid, on: OnBehalf) =>
    expectAnswer(
      ServerPlacement,
      await call({ method: 'GET', target: pathOf(uuid, '/placement'), on }),
    ),
  writeInstance: async (uuid, info, on) => {
    const body = { instance_info: info };
    await call({ method: 'PUT', target: pathOf(uuid, '/instance'), body, on });
  },
});
