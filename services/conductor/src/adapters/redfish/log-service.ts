import { BadRequestError, type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { readMembers } from './collection.js';
import { actionOf, idOf, linkOf } from './json.js';
import { type FindTarget, systemOf } from './target.js';

/** A log of the system or of its managers. */
interface LogService {
  readonly name: string;
  readonly resource: Resource;
  readonly entries: string | undefined;
  readonly clear: string | undefined;
}

/** Logs in the order in which a person would look into them: events of the hardware come before those of the BMC. */
const FIRST = ['sel', 'eventlog', 'event', 'iel', 'iml', 'log1', 'log'];

export interface FoundLog {
  readonly bmc: BmcClient;
  readonly log: LogService;
  /** Names of all logs. */
  readonly names: readonly string[];
}

/**
 * Finds a node's log by name, or the one to look into first.
 * @throws DriverFailure `unsupported` for a BMC without logs, BadRequestError for a name that it does not have
 */
export async function findLog(
  find: FindTarget,
  node: NodeRecord,
  wanted: string | undefined,
  deadline: Deadline,
): Promise<FoundLog> {
  const { bmc, system: view } = await systemOf(find, node, deadline);
  const system = await bmc.read(view.path);
  const services = await servicesOf(bmc, { system, managers: view.managerPaths });
  const all = [...services.values()];
  const names = all.map(({ name }) => name);
  const [first] = all.toSorted((a, b) => rankOf(a) - rankOf(b));
  if (first === undefined) throw new DriverFailure('unsupported', 'the BMC has no event log');
  if (wanted === undefined) return { bmc, log: first, names };
  const log = all.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (log === undefined)
    throw new BadRequestError(`service: the BMC has no such log; it has ${names.join(', ')}.`);
  return { bmc, log, names };
}

/** Every log, the system's before its managers'. Where both have one of the same name, the manager's is `manager:<name>`. */
async function servicesOf(
  bmc: BmcClient,
  owners: { readonly system: Resource; readonly managers: readonly string[] },
): Promise<ReadonlyMap<string, LogService>> {
  const all = new Map<string, LogService>();
  const add = async (owner: Resource | undefined): Promise<void> => {
    const found = await readMembers(bmc, linkOf(owner?.data['LogServices']));
    for (const service of found.map(serviceOf)) {
      const name = all.has(service.name) ? `manager:${service.name}` : service.name;
      if (!all.has(name)) all.set(name, { ...service, name });
    }
  };
  await add(owners.system);
  for (const path of owners.managers) await add(await bmc.readOptional(path));
  return all;
}

function rankOf({ name }: LogService): number {
  const rank = FIRST.indexOf(name.toLowerCase());
  return rank === -1 ? FIRST.length : rank;
}

const serviceOf = (resource: Resource): LogService => ({
  name: idOf(resource),
  resource,
  entries: linkOf(resource.data['Entries']),
  clear: actionOf(resource.data, '#LogService.ClearLog'),
});
