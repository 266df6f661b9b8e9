import { randomUUID } from 'node:crypto';
import { type HandoverCause, type HandoverRecord, type NodeRecord } from '@tenure/contracts';
import { aHandover } from '@tenure/contracts/testing';

const AT_REST = ['enroll', 'manageable', 'available', 'verify failed', 'inspect failed'];

/**
 * The handover that a write opens, because its tenant loses the node; undefined when it opens none.
 * @param open the handover that the node is in already
 */
export function openedBy(
  before: NodeRecord,
  after: NodeRecord,
  open: HandoverRecord | undefined,
): HandoverRecord | undefined {
  const cause = causeOf(before, after);
  if (cause === undefined || (cause !== 'lease_end' && isNothing(before, open))) return undefined;
  const { uuid, owner, lessee, lease_uuid = null } = before;
  return aHandover({
    ...{ uuid: randomUUID(), node_uuid: uuid, cause, owner },
    ...{ from_project: lessee ?? owner, to_project: after.lessee ?? after.owner },
    plan: { undeploy: true, clean: before.automated_clean !== false },
    lease_uuid: cause === 'lease_end' ? lease_uuid : null,
  });
}

function causeOf(before: NodeRecord, after: NodeRecord): HandoverCause | undefined {
  if (before.lessee !== null && before.lessee !== after.lessee)
    return typeof before.lessee_until === 'string' ? 'lease_end' : 'lessee_changed';
  if (typeof before.handover_uuid === 'string') return undefined;
  if (before.provision_state !== 'deleting' && after.provision_state === 'deleting')
    return 'undeploy';
  return isReleased(before, after) ? 'allocation_end' : undefined;
}

/** Whether the end of this tenancy needs no separate handover. */
const isNothing = (before: NodeRecord, open: HandoverRecord | undefined): boolean =>
  open === undefined
    ? isUntouched(before)
    : open.cause === 'undeploy' && open.from_project === before.lessee;

const isReleased = (before: NodeRecord, after: NodeRecord): boolean =>
  before.allocation_uuid !== null &&
  after.allocation_uuid === null &&
  AT_REST.includes(after.provision_state);

const isUntouched = (node: NodeRecord): boolean =>
  node.custody?.touched !== true &&
  ![node.power_state, node.target_power_state].includes('power on') &&
  AT_REST.includes(node.provision_state) &&
  node.instance_uuid === null &&
  !node.console_enabled;
