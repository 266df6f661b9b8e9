import { Type } from '@sinclair/typebox';
import { AppError, matches, NO_OBLIGATIONS, UnavailableError } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { type Tenancy, type TenancyKind, type TenancySource } from './tenancy-source.js';

const Id = Type.Union([Type.String({ maxLength: 255 }), Type.Null()]);
const Uuid = Type.String({ minLength: 1, maxLength: 64 });
const tenancy = {
  uuid: Uuid,
  owner: Id,
  lessee: Type.Optional(Id),
  tenancy_revision: Type.Integer({ minimum: 0 }),
};
const OwnTenancy = Type.Object({ ...tenancy, creator: Type.Optional(Id) });
const TenancyOfNode = Type.Object({ ...tenancy, node_uuid: Uuid });

interface Place {
  readonly target: (ident: string) => string;
  readonly hangsOnNode: boolean;
  readonly hasCreator?: true;
}

const own = (collection: string): Place => ({
  target: (ident) => `/internal/tenancy/${collection}/${ident}`,
  hangsOnNode: false,
});
const onNode = (collection: string): Place => ({ ...own(collection), hangsOnNode: true });

const PLACES: Readonly<Record<TenancyKind, Place>> = {
  node: own('nodes'),
  allocation: own('allocations'),
  held_allocation: {
    target: (ident) => `/internal/tenancy/nodes/${ident}/allocation`,
    hangsOnNode: false,
  },
  lease: own('leases'),
  held_lease: {
    target: (ident) => `/internal/tenancy/nodes/${ident}/lease`,
    hangsOnNode: false,
  },
  port: onNode('ports'),
  portgroup: onNode('portgroups'),
  volume_connector: onNode('volume_connectors'),
  volume_target: onNode('volume_targets'),
  server: { ...own('servers'), hasCreator: true },
};

const isMissing = (error: unknown): boolean => error instanceof AppError && error.status === 404;

const nodeOf = (answer: unknown): string | null =>
  matches(TenancyOfNode, answer) ? answer.node_uuid : null;

const usable = (answer: unknown, { hangsOnNode, hasCreator }: Place): Tenancy => {
  const node_uuid = hangsOnNode ? nodeOf(answer) : null;
  if (!matches(OwnTenancy, answer) || (hangsOnNode && node_uuid === null))
    throw new UnavailableError('The inventory service gave an unusable answer.');
  const { uuid, owner, lessee = null, tenancy_revision, creator = null } = answer;
  return {
    ...{ uuid, owner, lessee, tenancy_revision, node_uuid },
    ...(hasCreator === true && { creator }),
  };
};

/** Tenancy from the inventory's internal routes (docs/contracts.md, "Inventory, internal"). */
export const createInventoryTenancy = (client: ServiceClient): TenancySource => ({
  load: async (kind, ident, behalf) => {
    const place = PLACES[kind];
    try {
      const answer = await client.call({
        method: 'GET',
        target: place.target(encodeURIComponent(ident)),
        statement: {
          ...behalf,
          aud: 'inventory',
          decision_id: null,
          resources: [],
          obligations: NO_OBLIGATIONS,
        },
      });
      return usable(answer, place);
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof AppError && error.status < 500)
        throw new UnavailableError('The inventory service could not answer.', { cause: error });
      throw error;
    }
  },
});
