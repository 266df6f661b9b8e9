import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type ConsoleCapability } from '../../ports/hardware-capabilities.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { type Json, linkOf, linksOf, objectOf, textsOf } from './json.js';
import { type FindTarget } from './target.js';

const SSH_PORT = 22;

/** The serial console of a machine as one resource of the BMC shows it. */
interface Console {
  readonly isOn: boolean;
  readonly port: number;
  /** The body of the request that switches it on or off. */
  readonly body: (on: boolean) => Json;
}

interface Place {
  readonly bmc: BmcClient;
  readonly resource: Resource;
  readonly consoleIn: (resource: Resource) => Console | undefined;
  readonly console: Console;
}

/** The serial console by SSH: switched on and off at the BMC, and used with an account that the BMC knows. */
export const redfishConsole = (find: FindTarget): ConsoleCapability => ({
  start: async (node, deadline) => setEnabled(await findConsole(find, node, deadline), true),
  stop: async (node, deadline) => setEnabled(await findConsole(find, node, deadline), false),
  info: async (node, deadline) => {
    const { bmc, console } = await findConsole(find, node, deadline);
    if (!console.isOn) return null;
    const { hostname } = new URL(bmc.origin);
    return { type: 'ssh', url: `ssh://${hostname}:${String(console.port)}` };
  },
});

async function setEnabled(place: Place, on: boolean): Promise<void> {
  const { bmc, resource, console, consoleIn } = place;
  if (console.isOn === on) return;
  await bmc.patchAndSee(resource, console.body(on), {
    isThere: (seen) => consoleIn(seen)?.isOn === on,
    missing: `the BMC took the order to switch the console ${on ? 'on' : 'off'}, but does not show it`,
  });
}

async function findConsole(find: FindTarget, node: NodeRecord, deadline: Deadline): Promise<Place> {
  const { bmc, path } = await find(node, deadline);
  const system = await bmc.read(path);
  const own = placeAt(bmc, system, systemConsole);
  if (own !== undefined) return own;
  // The console of a BMC that manages several machines is not one machine's.
  const managers = linksOf(objectOf(system.data['Links'])['ManagedBy']);
  const manager = await bmc.readOptional(managers.length === 1 ? managers[0] : undefined);
  const servers = linksOf(objectOf(manager?.data['Links'])['ManagerForServers']);
  if (manager !== undefined && servers.length <= 1) {
    const port = await sshPortOf(bmc, manager);
    const place = placeAt(bmc, manager, managerConsole(port));
    if (place !== undefined) return place;
  }
  throw new DriverFailure(
    'unsupported',
    'Driver redfish does not support console (the BMC offers no serial console over SSH)',
  );
}

function placeAt(
  bmc: BmcClient,
  resource: Resource | undefined,
  consoleIn: Place['consoleIn'],
): Place | undefined {
  const console = resource === undefined ? undefined : consoleIn(resource);
  return resource === undefined || console === undefined
    ? undefined
    : { bmc, resource, consoleIn, console };
}

/** The system's own: `SerialConsole.SSH`. Telnet and IPMI are never switched on: what is typed there is readable on the way. */
function systemConsole({ data }: Resource): Console | undefined {
  const ssh = objectOf(objectOf(data['SerialConsole'])['SSH']);
  const { ServiceEnabled: isOn } = ssh;
  if (typeof isOn !== 'boolean') return undefined;
  return {
    isOn,
    port: portOf(ssh['Port']) ?? SSH_PORT,
    body: (on) => ({ SerialConsole: { SSH: { ServiceEnabled: on } } }),
  };
}

async function sshPortOf(bmc: BmcClient, manager: Resource): Promise<number> {
  const protocol = await bmc.readOptional(linkOf(manager.data['NetworkProtocol']));
  return portOf(objectOf(protocol?.data['SSH'])['Port']) ?? SSH_PORT;
}

/**
 * Older BMCs have it in the manager: `SerialConsole`, by SSH among others. `CommandShell` is not used: it is the shell
 * of the BMC itself, which no user of the machine may have.
 */
const managerConsole =
  (port: number) =>
  ({ data }: Resource): Console | undefined => {
    const serial = objectOf(data['SerialConsole']);
    const { ServiceEnabled: isOn } = serial;
    const isSsh = textsOf(serial['ConnectTypesSupported'])?.includes('SSH') ?? false;
    if (typeof isOn !== 'boolean' || !isSsh) return undefined;
    return { isOn, port, body: (on) => ({ SerialConsole: { ServiceEnabled: on } }) };
  };

const portOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536
    ? value
    : undefined;
