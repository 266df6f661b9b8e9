import { Type } from '@sinclair/typebox';
import { KeypairRecord } from '@tenure/contracts';
import { callFor, pageOf, type ServiceClient } from '@tenure/http';
import { FlavorFacts } from '../domain/flavor.js';
import { type FlavorStore, type KeypairStore } from '../ports/server-store.js';

const Flavors = Type.Object({ flavors: Type.Array(FlavorFacts) });
const Keypairs = Type.Object({
  keypairs: Type.Array(KeypairRecord),
  more: Type.Optional(Type.Boolean()),
});

/** Flavors over the inventory's internal API. */
export const flavorStoreHttp = (client: ServiceClient): FlavorStore => ({
  list: async (filter, resourceClass, context) => {
    const body = { filter, ...(resourceClass !== undefined && { resource_class: resourceClass }) };
    const call = { method: 'POST', target: '/internal/flavors', body, context } as const;
    return (await callFor(client, Flavors, call)).flavors;
  },
});

/** Key pairs over the inventory's internal API. */
export const keypairStoreHttp = (client: ServiceClient): KeypairStore => ({
  create: (keypair, context) =>
    callFor(client, KeypairRecord, {
      method: 'POST',
      target: '/internal/keypairs',
      body: keypair,
      context,
    }),
  find: async (userId, name, context) => {
    const target = listTarget({ user_id: userId, name });
    return (await callFor(client, Keypairs, { method: 'GET', target, context })).keypairs[0];
  },
  list: async (userId, { limit, marker }, context) => {
    const target = listTarget({
      user_id: userId,
      limit: String(limit + 1),
      ...(marker !== undefined && { marker }),
    });
    const found = await callFor(client, Keypairs, { method: 'GET', target, context });
    const { rows: keypairs, more } = pageOf(found.keypairs, limit, found.more);
    return { keypairs, more };
  },
  remove: async (uuid, context) => {
    await client.call({
      method: 'DELETE',
      target: `/internal/keypairs/${encodeURIComponent(uuid)}`,
      context,
    });
  },
});

const listTarget = (query: Readonly<Record<string, string>>): string =>
  `/internal/keypairs?${new URLSearchParams(query).toString()}`;
