import { Type } from '@sinclair/typebox';
import { UnavailableError } from '@tenure/contracts';
import { callFor, pageOf, type ServiceClient } from '@tenure/http';
import { type AllocationStore } from '../ports/allocation-store.js';

const NullableText = Type.Union([Type.String(), Type.Null()]);

/** Members of a record that this service reads; others pass through. */
export const AllocationRecordShape = Type.Object({
  uuid: Type.String(),
  name: NullableText,
  owner: NullableText,
  resource_class: NullableText,
  traits: Type.Array(Type.String()),
  candidate_nodes: Type.Array(Type.String()),
  extra: Type.Record(Type.String(), Type.Unknown()),
  state: Type.Union([Type.Literal('allocating'), Type.Literal('active'), Type.Literal('error')]),
  node_uuid: NullableText,
  last_error: NullableText,
  created_at: Type.String(),
  updated_at: NullableText,
  candidate_filter: Type.Object({
    mode: Type.Union([Type.Literal('all'), Type.Literal('any_of'), Type.Literal('none')]),
    predicates: Type.Array(
      Type.Object({ field: Type.String(), op: Type.Literal('eq'), value: Type.String() }),
    ),
  }),
  revision: Type.Integer(),
});

/** A row of a list, which has only the requested members. */
const RowShape = Type.Composite([
  Type.Partial(AllocationRecordShape),
  Type.Pick(AllocationRecordShape, ['uuid']),
]);

const Rows = Type.Object({
  allocations: Type.Array(RowShape),
  more: Type.Optional(Type.Boolean()),
});

/** Allocations over the inventory's internal API (docs/contracts/inventory.md). */
export const allocationStoreHttp = (client: ServiceClient): AllocationStore => ({
  create: (draft, context) =>
    callFor(client, AllocationRecordShape, {
      method: 'POST',
      target: '/internal/allocations',
      body: draft,
      context,
    }),
  find: (uuid, context) =>
    callFor(client, AllocationRecordShape, { method: 'GET', target: targetOf(uuid), context }),
  list: async ({ limit, fields, ...query }, context) => {
    // The inventory gives this service up to 1,001.
    const parameters = new URLSearchParams({
      ...query,
      ...(fields !== undefined && { fields: fields.join(',') }),
      limit: String(limit + 1),
    });
    const target = `/internal/allocations?${parameters.toString()}`;
    const found = await callFor(client, Rows, { method: 'GET', target, context });
    const { rows: allocations, more } = pageOf(found.allocations, limit, found.more);
    return { allocations, more };
  },
  update: (uuid, { expectedRevision, set }, context) =>
    callFor(client, AllocationRecordShape, {
      method: 'PATCH',
      target: targetOf(uuid),
      body: { expected_revision: expectedRevision, set },
      context,
    }),
  remove: async (uuid, context) => {
    const target = targetOf(uuid);
    const answer = await client.call({ method: 'DELETE', target, context });
    if (answer !== undefined)
      throw new UnavailableError('The inventory service gave an unusable answer.');
  },
});

const targetOf = (uuid: string): string => `/internal/allocations/${encodeURIComponent(uuid)}`;
