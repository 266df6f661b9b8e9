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
 * Stores that charge tenants' records to their budgets.
 * @param isForced for Tenure's own writes, which are counted and never refused
 */
export function chargedStores(
  stores: Stores,
  usage: Usage,
  { isForced }: { readonly isForced: boolean },
): Stores {
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
    // No other write of a node changes the account that pays; the next recount handles a new owner.
    nodes: { ...nodes, insert: chargedNodes.insert, remove: chargedNodes.remove },
  };
}
