import { Type } from '@sinclair/typebox';
import { AppError, matches, NO_OBLIGATIONS, UnavailableError } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { type Tenancy, type TenancySource } from './tenancy-source.js';

const Id = Type.Union([Type.String({ maxLength: 255 }), Type.Null()]);
const TenancyAnswer = Type.Object({
  uuid: Type.String({ minLength: 1, maxLength: 64 }),
  owner: Id,
  lessee: Type.Optional(Id),
  tenancy_revision: Type.Integer({ minimum: 0 }),
});

const isMissing = (error: unknown): boolean => error instanceof AppError && error.status === 404;

const usable = (answer: unknown): Tenancy => {
  if (!matches(TenancyAnswer, answer))
    throw new UnavailableError('The inventory service gave an unusable answer.');
  const { uuid, owner, lessee = null, tenancy_revision } = answer;
  return { uuid, owner, lessee, tenancy_revision };
};

/** Tenancy from the inventory's internal routes (docs/contracts.md, "Inventory, internal"). */
export const createInventoryTenancy = (client: ServiceClient): TenancySource => ({
  load: async (type, ident, behalf) => {
    try {
      const answer = await client.call({
        method: 'GET',
        target: `/internal/tenancy/${type}s/${encodeURIComponent(ident)}`,
        statement: {
          ...behalf,
          aud: 'inventory',
          decision_id: null,
          resources: [],
          obligations: NO_OBLIGATIONS,
        },
      });
      return usable(answer);
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof AppError && error.status < 500)
        throw new UnavailableError('The inventory service could not answer.', { cause: error });
      throw error;
    }
  },
});
