import { type RequestListener } from 'node:http';
import { type BmcAddressCheck, createServiceApp } from '@tenure/http';
import { type Logger, type RequestMetrics } from '@tenure/process';
import { type ContextKeys } from '@tenure/signed-context';
import { boundedPages, DEFAULT_LIST_BYTES } from './application/bounded-pages.js';
import { chargedStores } from './application/budgets/charged-stores.js';
import { createUsage } from './application/budgets/usage.js';
import { type ResourceDependencies } from './application/resources/write-resources.js';
import { storesNow } from './application/stores-now.js';
import { type BudgetName } from './domain/budgets.js';
import { offerReaders } from './http/by-reader.js';
import { internalAllocationRouters } from './http/routes/internal-allocations.js';
import { internalClaimRouter } from './http/routes/internal-claims.js';
import { internalConductorRouter } from './http/routes/internal-conductors.js';
import { internalCustodyRouter } from './http/routes/internal-custody.js';
import { internalDeployTemplateRouter } from './http/routes/internal-deploy-templates.js';
import { exportRouter, importRouter } from './http/routes/internal-documents.js';
import { internalFlavorRouter } from './http/routes/internal-flavors.js';
import { internalHandoverRouter } from './http/routes/internal-handovers.js';
import { internalKeypairRouter } from './http/routes/internal-keypairs.js';
import { internalLeaseRouter } from './http/routes/internal-leases.js';
import { internalNodePartRouters } from './http/routes/internal-node-parts.js';
import { internalNodeRouters } from './http/routes/internal-nodes.js';
import { internalQuotaRouter } from './http/routes/internal-quotas.js';
import { internalServerRouters } from './http/routes/internal-servers.js';
import { internalTenancyRouters } from './http/routes/internal-tenancy.js';
import { publicRouters } from './http/routes/public.js';
import { type CustodySigner } from './ports/custody-signer.js';
import { type ListReaders } from './ports/list-readers.js';
import { type Stores } from './ports/stores.js';
import { type VolumeRegistry } from './ports/volume-registry.js';

export interface AppDependencies {
  readonly stores: Stores;
  readonly keys: ContextKeys;
  /** Signs completed handovers. */
  readonly signer: CustodySigner;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Milliseconds without heartbeat after which the record of a conductor is removed. */
  readonly keepConductorsMs: number;
  /** The registry of volume owners; undefined where the first use of a volume decides on its project. */
  readonly volumes?: VolumeRegistry | undefined;
  readonly metrics?: RequestMetrics | undefined;
  /** Maximum bytes of a page's rows as they are stored; `DEFAULT_LIST_BYTES` when undefined. */
  readonly listBytes?: number | undefined;
  /** Reader threads for lists; without them the app reads its lists itself. */
  readonly readers?: ListReaders | undefined;
  /** Refuses nodes whose BMC address is forbidden. */
  readonly checkBmcAddress: BmcAddressCheck;
  /** Called for each write that a budget refused. */
  readonly onRefused?: (budget: BudgetName) => void;
}

const BODY_LIMIT = 1024 * 1024;
const IMPORT_LIMIT = 32 * 1024 * 1024;
const IMPORT_PATH = '/internal/import';

/**
 * The inventory's HTTP face. Imports have an app of their own: a body is read before it is routed, and only an import
 * may be larger than 1 MiB.
 */
export function createApp({
  stores: whole,
  keys,
  signer,
  logger,
  now,
  keepConductorsMs,
  volumes,
  metrics,
  listBytes = DEFAULT_LIST_BYTES,
  readers,
  checkBmcAddress,
  onRefused = () => undefined,
}: AppDependencies): RequestListener {
  const stores = boundedPages(whole, listBytes);
  const internal = {
    ...chargedNow(stores, { now, signer, onRefused }),
    now,
    volumes,
    signer,
    checkBmcAddress,
  };
  const imports = createServiceApp({
    keys,
    logger,
    metrics,
    bodyLimit: IMPORT_LIMIT,
    routers: [importRouter(internal)],
  });
  const others = createServiceApp({
    keys,
    logger,
    metrics,
    bodyLimit: BODY_LIMIT,
    routers: [
      ...(readers === undefined ? [] : [offerReaders(readers)]),
      ...publicRouters(internal),
      ...internalNodeRouters(internal),
      internalConductorRouter({ ...internal, keepConductorsMs }),
      internalDeployTemplateRouter(stores),
      ...internalTenancyRouters(internal),
      ...internalNodePartRouters(internal),
      internalClaimRouter(internal),
      ...internalAllocationRouters(internal),
      internalLeaseRouter(internal),
      internalCustodyRouter({ stores, signer }),
      internalHandoverRouter(internal),
      ...internalServerRouters(internal),
      internalKeypairRouter(internal),
      internalFlavorRouter(internal),
      internalQuotaRouter({ stores }),
      exportRouter(internal),
    ],
  });
  return (request, response) => {
    (request.url === IMPORT_PATH ? imports : others)(request, response);
  };
}

/** The stores at the current time, whose writes are charged to budgets. */
function chargedNow(
  stores: Stores,
  { now, signer, onRefused }: Required<Pick<AppDependencies, 'now' | 'signer' | 'onRefused'>>,
): Pick<ResourceDependencies, 'unrefused'> & { readonly stores: Stores } {
  const usage = createUsage({ stores, now, onRefused });
  const charged = chargedStores(stores, usage, { isForced: false });
  const { claims: systemClaims, resources: unrefused } = chargedStores(stores, usage, {
    isForced: true,
  });
  return { stores: storesNow(charged, { now, signer, systemClaims }), unrefused };
}
