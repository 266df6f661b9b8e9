import { BadRequestError, ConflictError } from '@tenure/contracts';
import { type ResourceRecord } from '../../ports/resource-records.js';
import { releaseLeft } from '../claims.js';
import {
  assertAddressStays,
  assertNoVifMoves,
  CONNECTIVITY_STATES,
  isRewirable,
  portsOf,
} from './port-rules.js';
import { changes, type RuleScope, type WriteRules } from './write-rules.js';

export const PORTGROUP_RULES: WriteRules = {
  updated: async (scope, before, after) => {
    await assertPortsAgree(scope, before, after);
    assertNoVifMoves('portgroup', before, after);
    assertAddressStays('portgroup', scope.node, before, after);
    assertRewirable(scope, before, after);
  },
  removed: async ({ stores }, portgroup) => {
    if ((await portsOf(stores, portgroup)).length > 0)
      throw new BadRequestError(
        `Cannot complete the requested action because portgroup ${portgroup.uuid} contains ports.`,
      );
  },
  left: ({ stores }, portgroup) => releaseLeft({ stores }, 'portgroups', portgroup),
};

/** Refuses a change that conflicts with the ports of the group. */
async function assertPortsAgree(
  { stores }: RuleScope,
  before: ResourceRecord,
  after: ResourceRecord,
): Promise<void> {
  if (!changes(before, after, 'node_uuid', 'standalone_ports_supported')) return;
  const ports = await portsOf(stores, before);
  if (changes(before, after, 'node_uuid') && ports.length > 0)
    throw new BadRequestError(
      `Portgroup ${before.uuid} can not be associated with another node because there are ports associated with this portgroup.`,
    );
  const isStandalone = after.standalone_ports_supported === true;
  if (!isStandalone && ports.some((port) => port.pxe_enabled === true))
    throw new ConflictError(
      'standalone_ports',
      `standalone_ports_supported can not be set to False, because the portgroup ${before.uuid} contains ports with pxe_enabled attribute set to True. Please set pxe_enabled to False for all ports in this portgroup to set standalone_ports_supported to False.`,
    );
}

function assertRewirable({ node }: RuleScope, before: ResourceRecord, after: ResourceRecord): void {
  if (!isRewirable(node) && changes(before, after, 'mode', 'properties'))
    throw new ConflictError(
      'invalid_state',
      `Portgroup ${before.uuid} can not have its mode or properties updated unless node ${String(node?.uuid)} is in a ${CONNECTIVITY_STATES.join(', ')} state or in maintenance mode. The current state is ${String(node?.provision_state)}.`,
    );
}
