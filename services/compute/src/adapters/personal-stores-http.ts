import { Type } from '@sinclair/typebox';
import { KeypairRecord } from '@tenure/contracts';
import { expectAnswer, type ServiceClient } from '@tenure/http';
import { FlavorFacts } from '../domain/flavor.js';
import { type FlavorStore, type KeypairStore } from '../ports/server-store.js';

const Flavors = Type.Object({ flavors: Type.Array(FlavorFacts) });
// `more`: the page may be shorter than its limit, because it is also bounded in bytes.
const Keypairs = Type.Object({
  keypairs: Type.Array(KeypairRecord),
  more: Type.Optional(Type.Boolean()),
});

/** Flavors over the inventory's internal API. */
export const flavorStoreHttp = (client: ServiceClient): FlavorStore => ({
  list: async (filter, resourceClass, context) => {
    const body = { filter, ...(resourceClass !== undefined && { resource_class: resourceClass }) };
    const answer = await client.call({
      method: 'POST',
      target: '/internal/flavors',
      body,
      context,
    });
    return expectAnswer(Flavors, answer).flavors;
  },
});

const listTarget = (query: Readonly<Record<string, string>>): string =>
  `/internal/keypairs?${new URLSearchParams(query).toString()}`;

/** Key pairs over the inventory's internal API. */
export const keypairStoreHttp = (client: ServiceClient): KeypairStore => ({
  create: async (keypair, context) =>
    expectAnswer(
      KeypairRecord,
      await client.call({ method: 'POST', target: '/internal/keypairs', body: keypair, context }),
    ),
  find: async (userId, name, context) => {
    const target = listTarget({ user_id: userId, name });
    return expectAnswer(Keypairs, await client.call({ method: 'GET', target, context }))
      .keypairs[0];
  },
  list: async (userId, { limit, marker }, context) => {
    const target = listTarget({
      user_id: userId,
      limit: String(limit + 1),
      ...(marker !== undefined && { marker }),
    });
    const answer = await client.call({ method: 'GET', target, context });
    const { keypairs, more = false } = expectAnswer(Keypairs, answer);
    return { keypairs: keypairs.slice(0, limit), more: more || keypairs.length > limit };
  },
  remove: async (uuid, context) => {
    await client.call({
      method: 'DELETE',
      target: `/internal/keypairs/${encodeURIComponent(uuid)}`,
      context,
    });
  },
});
