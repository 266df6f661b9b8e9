import { type ContextClaims } from '@tenure/contracts';
import { createBmcAddressCheck, createBmcGuard } from '@tenure/http';
import { createLogger } from '@tenure/process';
import { type AppDependencies, createApp } from '../app.js';
import { type Stores } from '../ports/stores.js';
import { makeCustodySigner } from './custody.js';
import { memoryStores } from './empty-stores.js';
import { listRule } from './lists-by-readers.js';
import {
  type Answer,
  type Callers,
  makeKeyring,
  runApp,
  type RunningApp,
  type SignedCall,
} from './signed-request.js';

type Obligations = ContextClaims['obligations'];

export interface TestApp extends RunningApp {
  readonly callers: Callers;
  readonly stores: Stores;
  /** Moves the clock, which otherwise does not advance. */
  readonly setNow: (moment: string) => void;
  /** A call of the gateway about one node, with its tenancy as it is now. */
  readonly onNode: (
    uuid: string,
    call: Omit<SignedCall, 'from' | 'target'> & { readonly below?: string },
  ) => Promise<Answer>;
}

export const NOW = '2026-11-21T08:00:00.000Z';

const KEEP_CONDUCTORS_MS = 3_600_000;

/** The default configuration, with the gateway on the same machine. */
export const checkBmcAddressForTests = createBmcAddressCheck(
  createBmcGuard({ bmcNetworks: [], bmcAllowLoopback: false, isOwnPort: (port) => port === 6385 }),
);

// One for all tests of a file: reading key files took as long as the test itself.
const keyring = makeKeyring();

export const NOTHING: Obligations = {
  filter: { mode: 'none', predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
};

export const seesAll: Obligations = { ...NOTHING, filter: { mode: 'all', predicates: [] } };

/** The app over an empty store in memory, which checks that lists are passed to readers. */
export async function startTestApp(
  others: Pick<AppDependencies, 'volumes' | 'listBytes' | 'onRefused'> = {},
): Promise<TestApp> {
  const stores = await memoryStores();
  let moment = new Date(NOW);
  const logger = createLogger('inventory', 'fatal');
  const rule = listRule();
  const running = await runApp(
    rule.watching(
      createApp({
        stores: rule.watched({ ...stores, clock: () => Promise.resolve(moment) }),
        readers: rule.readers,
        keys: keyring.inventory,
        signer: makeCustodySigner(),
        logger,
        now: () => moment,
        keepConductorsMs: KEEP_CONDUCTORS_MS,
        checkBmcAddress: checkBmcAddressForTests,
        ...others,
      }),
    ),
    keyring,
  );
  return {
    ...running,
    callers: keyring.callers,
    stores,
    setNow: (text) => {
      moment = new Date(text);
    },
    onNode: async (uuid, { below = '', context, ...call }) => {
      const node = await stores.nodes.findBy('uuid', uuid);
      const resources = [{ type: 'node', uuid, tenancy_revision: node?.tenancy_revision ?? 0 }];
      return running.call({
        ...call,
        from: 'gateway',
        target: `/v1/nodes/${uuid}${below}`,
        context: { resources, ...context },
      });
    },
    close: async () => {
      await running.close();
      await stores.close();
    },
  };
}

export const masking = (...masked: string[]): Obligations => ({
  ...NOTHING,
  fields: { masked, read_only: [] },
});
export const forcing = (owner: string): Obligations => ({ ...NOTHING, set: { owner } });

/** The obligations of a member of a project: it sees all of what it owns, and what it leases with these fields masked. */
export const seesOwn = (project: string, ...maskedForLessee: string[]): Obligations => ({
  ...NOTHING,
  filter: {
    mode: 'any_of',
    predicates: [
      { field: 'owner', op: 'eq', value: project, masked: [] },
      { field: 'lessee', op: 'eq', value: project, masked: maskedForLessee },
    ],
  },
});
