import { type Stores } from '../../ports/stores.js';
import {
  allocationBill,
  CHARGED_SECTIONS,
  claimBill,
  keypairBill,
  leaseBill,
  nodeBill,
  resourceBill,
  serverBill,
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
  const { allocations, leases, servers, keypairs, claims, resources, nodes } = stores;
  const how = { usage, isForced };
  const chargedNodes = chargedStore(nodes, { ...how, billOf: nodeBill });
  return {
    ...stores,
    allocations: chargedStore(allocations, { ...how, billOf: allocationBill }),
    leases: chargedStore(leases, { ...how, billOf: leaseBill }),
    servers: chargedStore(servers, { ...how, billOf: serverBill }),
    keypairs: chargedStore(keypairs, { ...how, billOf: keypairBill }),
    claims: chargedStore(claims, { ...how, billOf: claimBill }),
    resources: {
      ...resources,
      ...Object.fromEntries(
        CHARGED_SECTIONS.map((section) => [
          section,
          chargedStore(resources[section], { ...how, billOf: resourceBill(section) }),
        ]),
      ),
    },
    // No other write of a node changes who pays for it; a new owner is found by the next recount.
    nodes: { ...nodes, insert: chargedNodes.insert, remove: chargedNodes.remove },
  };
};
