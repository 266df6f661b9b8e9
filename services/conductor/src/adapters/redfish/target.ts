import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { redfishSettingsOf } from '../../domain/redfish-settings.js';
import { BmcClient } from './bmc-client.js';
import { type BmcDirectory } from './bmc-directory.js';
import { notRedfish } from './bmc-error.js';
import { type Bmc } from './bmc.js';
import { readSystem, type SystemView } from './computer-system.js';
import { systemIdsOf } from './system-ids.js';

/** A node's system on its BMC. */
interface Target {
  readonly bmc: BmcClient;
  readonly path: string;
}

/** Finds the system that a node's settings name. */
export type FindTarget = (node: NodeRecord, deadline: Deadline) => Promise<Target>;

export const createFindTarget =
  (directory: BmcDirectory): FindTarget =>
  async (node, deadline) => {
    const settings = redfishSettingsOf(node);
    const bmc = await directory.find(settings);
    const path = settings.systemPath ?? (await onlySystemOf(bmc, deadline));
    return { bmc: new BmcClient(bmc, deadline), path };
  };

/** Finds and reads a node's system. */
export async function systemOf(
  find: FindTarget,
  node: NodeRecord,
  deadline: Deadline,
): Promise<{ readonly bmc: BmcClient; readonly system: SystemView }> {
  const { bmc, path } = await find(node, deadline);
  return { bmc, system: await readSystem(bmc, path) };
}

async function onlySystemOf(bmc: Bmc, deadline: Deadline): Promise<string> {
  let ids: readonly string[];
  try {
    ids = await systemIdsOf(bmc, deadline);
  } catch (error) {
    if (error instanceof DriverFailure) throw error;
    throw notRedfish('malformed', 'no systems are listed', { maybeSent: false, cause: error });
  }
  const [id, ...others] = ids;
  if (id === undefined || others.length > 0)
    throw new DriverFailure(
      'settings',
      'redfish_system_id is missing in driver_info, and the BMC has more than one system',
    );
  return `/redfish/v1/Systems/${encodeURIComponent(id)}`;
}
