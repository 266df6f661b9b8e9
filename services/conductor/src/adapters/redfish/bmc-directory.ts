import { createHash } from 'node:crypto';
import { type PlaceGuard, hostOf, literalIn, portOf } from '@tenure/http';
import { deadlineIn } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type RedfishSettings } from '../../domain/redfish-settings.js';
import { type ObserveBmcCall } from '../../ports/bmc-observer.js';
import { type BmcConcurrency, createBmcConcurrency } from './bmc-limits.js';
import { type BmcAuth, createBmcAuth } from './bmc-session.js';
import { type BmcLimits, type BmcTransport, createBmcTransport } from './bmc-transport.js';
import { type Bmc, createBmc } from './bmc.js';
import { createOpenSockets } from './open-sockets.js';
import { loadTrust, type TlsTrust } from './trust.js';

export interface BmcDirectoryOptions {
  readonly limits: BmcLimits;
  readonly observe: ObserveBmcCall;
  readonly caDirectory: string;
  /** Decides which addresses may be called. */
  readonly guard: PlaceGuard;
}

/** The BMCs in use: one set of connections and one session for each address and account. */
export interface BmcDirectory {
  /**
   * Checks settings without a call to the BMC.
   * @throws DriverFailure (`settings`) for a forbidden IP address, and for an unusable CA file
   */
  readonly admit: (settings: RedfishSettings) => Promise<TlsTrust>;
  readonly find: (settings: RedfishSettings) => Promise<Bmc>;
  /** Ends the sessions and connections. */
  readonly close: () => Promise<void>;
}

interface Entry {
  readonly bmc: Bmc;
  readonly end: () => Promise<void>;
  lastUsed: number;
}

const MAX_ENTRIES = 20_000;
const IDLE_MS = 15 * 60_000;
/** Maximum of idle connections to all BMCs. */
const KEPT_SOCKETS = 512;
const CLOSE_MS = 2000;

// The system's certificates are many and always the same ones: they are not hashed again for every call.
const digests = new WeakMap<readonly string[], string>();

export function createBmcDirectory({
  limits,
  observe,
  caDirectory,
  guard,
}: BmcDirectoryOptions): BmcDirectory {
  const entries = new Map<string, Entry>();
  const sockets = createOpenSockets(KEPT_SOCKETS);
  const { requests, commands } = createBmcConcurrency();

  const drop = (key: string, entry: Entry): void => {
    entries.delete(key);
    void entry.end();
  };
  const dropIdle = (): void => {
    const limit = performance.now() - IDLE_MS;
    for (const [key, entry] of entries)
      if (entry.lastUsed < limit || entries.size > MAX_ENTRIES) drop(key, entry);
  };
  const open = (settings: RedfishSettings, trust: TlsTrust): Entry => {
    const { origin } = settings;
    const direct = createBmcTransport(origin, { trust, guard, limits, observe, sockets });
    const transport = limited(origin, direct, requests);
    const auth = createBmcAuth(transport, settings);
    return {
      bmc: createBmc({ origin, transport, auth, commands }),
      end: endOf(auth, transport),
      lastUsed: performance.now(),
    };
  };
  const admit = async (settings: RedfishSettings): Promise<TlsTrust> => {
    assertPlace(settings, guard);
    return loadTrust(settings.trust, caDirectory);
  };
  return {
    admit,
    find: async (settings) => {
      const trust = await admit(settings);
      const key = keyOf(settings, trust);
      const cached = entries.get(key);
      if (cached !== undefined) {
        cached.lastUsed = performance.now();
        return cached.bmc;
      }
      dropIdle();
      const entry = open(settings, trust);
      entries.set(key, entry);
      return entry.bmc;
    },
    close: async () => {
      const last = [...entries.values()];
      entries.clear();
      await Promise.all(last.map(({ end }) => end()));
    },
  };
}

const limited = (
  origin: string,
  transport: BmcTransport,
  requests: BmcConcurrency['requests'],
): BmcTransport => ({
  ...transport,
  call: (request, deadline) => requests(origin, () => transport.call(request, deadline), deadline),
});

const endOf =
  (auth: BmcAuth, transport: BmcTransport): Entry['end'] =>
  async () => {
    // A BMC that does not answer keeps its session until the session expires.
    await auth.close(deadlineIn(CLOSE_MS)).catch(() => undefined);
    await transport.close();
  };

/** The guard checks a host name at each connection, by the addresses that it resolves to. */
function assertPlace({ origin }: RedfishSettings, guard: PlaceGuard): void {
  const url = new URL(origin);
  const literal = literalIn(hostOf(url));
  if (literal !== undefined && !guard(literal, portOf(url)))
    throw new DriverFailure('settings', 'redfish_address names a place at which no BMC may be');
}

/** Changes with the account, the CA file's content, and everything else that a connection depends on. */
const keyOf = (settings: RedfishSettings, { rejectUnauthorized, ca }: TlsTrust): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        settings.origin,
        settings.username,
        settings.password,
        settings.auth,
        rejectUnauthorized,
        ca === undefined ? null : digestOf(ca),
      ]),
    )
    .digest('base64url');

function digestOf(ca: readonly string[]): string {
  const digest = digests.get(ca) ?? createHash('sha256').update(ca.join('\n')).digest('base64url');
  digests.set(ca, digest);
  return digest;
}
