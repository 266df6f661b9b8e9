import { type Stores } from '../../ports/stores.js';
import {
  allocationBill,
  claimBill,
  keypairBill,
  leaseBill,
  serverBill,
  volumeBill,
} from './bills.js';
import { chargedStore } from './charged-store.js';
import { type Usage } from './usage.js';

/**
 * The stores, in which what a tenant creates is charged to its budgets.
 * @param isForced for writes of the system's own, which are counted and never refused
 */
export const chargedStores = (
  stores: Stores,
  usage: Usage,
  { isForced }: { readonly isForced: boolean },
): Stores => {
  const { allocations, leases, servers, keypairs, claims, resources } = stores;
  const how = { usage, isForced };
  return {
    ...stores,
    allocations: chargedStore(allocations, { ...how, billOf: allocationBill }),
    leases: chargedStore(leases, { ...how, billOf: leaseBill }),
    servers: chargedStore(servers, { ...how, billOf: serverBill }),
    keypairs: chargedStore(keypairs, { ...how, billOf: keypairBill }),
    claims: chargedStore(claims, { ...how, billOf: claimBill }),
    resources: {
      ...resources,
      volume_targets: chargedStore(resources.volume_targets, {
        ...how,
        billOf: volumeBill('volume_targets'),
      }),
      volume_connectors: chargedStore(resources.volume_connectors, {
        ...how,
        billOf: volumeBill('volume_connectors'),
      }),
    },
  };
};
