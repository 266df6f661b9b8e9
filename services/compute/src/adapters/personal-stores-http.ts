import { Type } from '@sinclair/typebox';
import { KeypairRecord } from '@tenure/contracts';
import { FlavorFacts } from '../domain/flavor.js';
import { type FlavorStore, type KeypairStore } from '../ports/server-store.js';
import { type CallPart, expectAnswer } from './part-call.js';

const Flavors = Type.Object({ flavors: Type.Array(FlavorFacts) });
// `more`: the page may be shorter than its limit, because it is also bounded in bytes.
const Keypairs = Type.Object({
  keypairs: Type.Array(KeypairRecord),
  more: Type.Optional(Type.Boolean()),
});

/** Flavors over the inventory's internal API. */
export const flavorStoreHttp = (call: CallPart): FlavorStore => ({
  list: async (filter, resourceClass, on) => {
    const body = { filter, ...(resourceClass !== undefined && { resource_class: resourceClass }) };
    const answer = await call({ method: 'POST', target: '/internal/flavors', body, on });
    return expectAnswer(Flavors, answer).flavors;
  },
});

const listTarget = (query: Readonly<Record<string, string>>): string =>
  `/internal/keypairs?${new URLSearchParams(query).toString()}`;

/** Key pairs over the inventory's internal API. */
export const keypairStoreHttp = (call: CallPart): KeypairStore => ({
  create: async (keypair, on) =>
    expectAnswer(
      KeypairRecord,
      await call({ method: 'POST', target: '/internal/keypairs', body: keypair, on }),
    ),
  find: async (userId, name, on) => {
    const target = listTarget({ user_id: userId, name });
    return expectAnswer(Keypairs, await call({ method: 'GET', target, on })).keypairs[0];
  },
  list: async (userId, { limit, marker }, on) => {
    const target = listTarget({
      user_id: userId,
      limit: String(limit + 1),
      ...(marker !== undefined && { marker }),
    });
    const answer = await call({ method: 'GET', target, on });
    const { keypairs, more = false } = expectAnswer(Keypairs, answer);
    return { keypairs: keypairs.slice(0, limit), more: more || keypairs.length > limit };
  },
  remove: async (uuid, on) => {
    await call({ method: 'DELETE', target: `/internal/keypairs/${encodeURIComponent(uuid)}`, on });
  },
});
