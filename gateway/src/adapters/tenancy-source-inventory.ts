import { Type } from '@sinclair/typebox';
import { AppError, UnavailableError } from '@tenure/contracts';
import { expectAnswer, type ServiceClient } from '@tenure/http';
import { type Tenancy, type TenancyKind, type TenancySource } from '../ports/tenancy-source.js';

const Id = Type.Union([Type.String({ maxLength: 255 }), Type.Null()]);
const Uuid = Type.String({ minLength: 1, maxLength: 64 });
const OwnTenancy = Type.Object({
  uuid: Uuid,
  owner: Id,
  lessee: Type.Optional(Id),
  tenancy_revision: Type.Integer({ minimum: 0 }),
  creator: Type.Optional(Id),
});
const OnNode = Type.Object({ node_uuid: Uuid });

interface Endpoint {
  readonly target: (ident: string) => string;
  readonly belongsToNode: boolean;
  readonly hasCreator?: true;
}

const own = (collection: string): Endpoint => ({
  target: (ident) => `/internal/tenancy/${collection}/${ident}`,
  belongsToNode: false,
});
const onNode = (collection: string): Endpoint => ({ ...own(collection), belongsToNode: true });

const ENDPOINTS: Readonly<Record<TenancyKind, Endpoint>> = {
  node: own('nodes'),
  allocation: own('allocations'),
  node_allocation: {
    target: (ident) => `/internal/tenancy/nodes/${ident}/allocation`,
    belongsToNode: false,
  },
  lease: own('leases'),
  node_lease: {
    target: (ident) => `/internal/tenancy/nodes/${ident}/lease`,
    belongsToNode: false,
  },
  port: onNode('ports'),
  portgroup: onNode('portgroups'),
  volume_connector: onNode('volume_connectors'),
  volume_target: onNode('volume_targets'),
  server: { ...own('servers'), hasCreator: true },
};

/** Tenancy from the inventory's internal routes (docs/contracts/inventory.md). */
export const createInventoryTenancy = (client: ServiceClient): TenancySource => ({
  load: async (kind, ident, context) => {
    const place = ENDPOINTS[kind];
    try {
      const answer = await client.call({
        method: 'GET',
        target: place.target(encodeURIComponent(ident)),
        context,
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

function usable(answer: unknown, { belongsToNode, hasCreator }: Endpoint): Tenancy {
  const found = expectAnswer(OwnTenancy, answer);
  const { uuid, owner, lessee = null, tenancy_revision, creator = null } = found;
  const node_uuid = belongsToNode ? expectAnswer(OnNode, answer).node_uuid : null;
  return {
    ...{ uuid, owner, lessee, tenancy_revision, node_uuid },
    ...(hasCreator === true && { creator }),
  };
}

const isMissing = (error: unknown): boolean => error instanceof AppError && error.status === 404;
