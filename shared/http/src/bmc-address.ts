import { networkInterfaces } from 'node:os';
import { Type } from '@sinclair/typebox';
import { ADMIN_PORT_OFFSET, BadRequestError, bmcUrlIn, DEFAULT_PORTS } from '@tenure/contracts';
import { type ConfigOf, ConfigError, type Environment, type Variables } from '@tenure/process';
import { addressBlockProblems, addressesIn } from './address-blocks.js';
import { addressesOf, addressGuard, hostOf, isLoopback, literalIn } from './address-guard.js';

/** Settings for the addresses of BMCs. The conductor and the inventory read the same variables. */
export const BMC_VARIABLES = {
  bmcNetworks: {
    env: 'CONDUCTOR_BMC_NETWORKS',
    schema: Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 256,
      description: 'up to 256 IP addresses and CIDR blocks, comma-separated',
    }),
    fallback: [],
    about:
      'permitted addresses and CIDR blocks of BMCs; none: every address except loopback, link-local, metadata and multicast addresses, and own listeners, which are always refused',
  },
  bmcAllowLoopback: {
    env: 'CONDUCTOR_BMC_ALLOW_LOOPBACK',
    schema: Type.Boolean(),
    fallback: false,
    about: 'allow BMCs at loopback addresses, but not at own listeners; for tests and evaluations',
  },
} as const satisfies Variables;

type BmcConfig = ConfigOf<typeof BMC_VARIABLES>;

const EVERYBODY = 'holds every address: without entries, a BMC may be anywhere';

/** Whether an IP address may be called at a port. */
export type PlaceGuard = (address: string, port: number) => boolean;

interface Places {
  /** IP addresses and CIDR blocks without problems; empty: every address that is not always refused. */
  readonly networks: readonly string[];
  readonly allowLoopback: boolean;
  /** Whether a part of Tenure, or its database, listens on this port of the same machine. */
  readonly isOwnPort: (port: number) => boolean;
}

/** Interfaces change at run time; listing them costs more than the rest of the check. */
const INTERFACES_MS = 5000;

const URLS = /_(?:URL|URI)$/u;

/** Default ports of the parts. */
const USUAL_PORTS = Object.values(DEFAULT_PORTS).flatMap((port) => [
  port,
  port + ADMIN_PORT_OFFSET,
]);

/** Milliseconds for the resolution of a BMC's name while a record is written. */
const RESOLVE_MS = 1000;
/** Maximum of concurrent resolutions: a slow resolver must not occupy the thread pool that all other work needs. */
const RESOLVED_TOGETHER = 2;

/** Refuses records with a forbidden BMC address. */
export type BmcAddressCheck = (address: unknown) => Promise<void>;

/** @throws ConfigError with every entry of CONDUCTOR_BMC_NETWORKS that is not an address block */
export function assertBmcNetworks({ bmcNetworks }: Pick<BmcConfig, 'bmcNetworks'>): void {
  const problems = addressBlockProblems(BMC_VARIABLES.bmcNetworks.env, bmcNetworks, EVERYBODY);
  if (problems.length > 0) throw new ConfigError(problems);
}

/**
 * Checks addresses that a tenant chooses: the address must be permitted, and must not be one of Tenure's listeners.
 * @throws Error for networks that have problems (`addressBlockProblems`)
 */
export function createPlaceGuard({ networks, allowLoopback, isOwnPort }: Places): PlaceGuard {
  const mayCall = addressGuard(allowLoopback);
  const isInNetworks = networks.length === 0 ? () => true : addressesIn(networks);
  const isOwnAddress = createOwnAddresses();
  return (address, port) =>
    mayCall(address) && isInNetworks(address) && !(isOwnPort(port) && isOwnAddress(address));
}

/**
 * The default ports of Tenure's parts, and all ports in an environment, of listeners and of services that are called. No BMC
 * on the same machine uses one of them.
 */
export function portsIn(env: Environment): ReadonlySet<number> {
  const ports = Object.entries(env).flatMap(([name, value = '']) => {
    if (name.endsWith('_PORT')) return [Number(value)];
    return URLS.test(name) ? [Number(URL.parse(value)?.port)] : [];
  });
  return new Set([...USUAL_PORTS, ...ports.filter((port) => Number.isInteger(port) && port > 0)]);
}

/**
 * Whether a port is one of the parts' (`portsIn`), or one on which this process listens.
 * @param listening read at each check: a listener may get its port only when it starts
 */
export function ownPortCheck(
  env: Environment,
  listening: () => readonly number[],
): Places['isOwnPort'] {
  const named = portsIn(env);
  return (port) => named.has(port) || listening().includes(port);
}

/**
 * The check for BMCs with the settings from the environment.
 * @throws Error for networks that have problems (`assertBmcNetworks`)
 */
export const createBmcGuard = ({
  bmcNetworks: networks,
  bmcAllowLoopback: allowLoopback,
  isOwnPort,
}: BmcConfig & Pick<Places, 'isOwnPort'>): PlaceGuard =>
  createPlaceGuard({ networks, allowLoopback, isOwnPort });

/** The port of a URL. */
export const portOf = ({ port, protocol }: URL): number =>
  Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port);

/**
 * Checks `redfish_address` when it is written: an IP address at once, a name by its addresses within a second. A name without
 * an address by then is accepted, because every connection checks it again.
 */
export function createBmcAddressCheck(guard: PlaceGuard): BmcAddressCheck {
  let resolving = 0;
  const resolved = async (host: string): Promise<readonly string[]> => {
    if (resolving >= RESOLVED_TOGETHER) return [];
    resolving += 1;
    try {
      return await addressesOf(host, RESOLVE_MS);
    } finally {
      resolving -= 1;
    }
  };
  return async (address) => {
    const url = typeof address === 'string' ? bmcUrlIn(address) : undefined;
    if (url === undefined) return;
    const host = hostOf(url);
    const literal = literalIn(host);
    const found = literal === undefined ? await resolved(host) : [literal];
    if (found.length > 0 && !found.some((one) => guard(one, portOf(url)))) throw refusal();
  };
}

function createOwnAddresses(): (address: string) => boolean {
  let ownAddresses: ReadonlySet<string> = new Set();
  let readAt = -Infinity;
  return (address) => {
    if (performance.now() - readAt > INTERFACES_MS) {
      const all = Object.values(networkInterfaces()).flatMap((of) => of ?? []);
      ownAddresses = new Set(
        all.map(({ address: own }) => literalIn(own.split('%', 1)[0] ?? '') ?? own),
      );
      readAt = performance.now();
    }
    return isLoopback(address) || ownAddresses.has(literalIn(address) ?? address);
  };
}

/** The error for such an address. It reveals nothing about the address. */
const refusal = (): BadRequestError =>
  new BadRequestError('driver_info/redfish_address names a place at which no BMC may be.');
