import { BadRequestError, ConflictError, fieldOf, type NodeRecord } from '@tenure/contracts';
import { defaultInterfaces, INTERFACE_FIELDS } from './driver-interfaces.js';
import { withInstanceName } from './instance-name.js';
import { assertFlags, assertReasons } from './node-flags.js';
import { HARDWARE_CHANGE_STATES } from './states.js';

const HARDWARE_FIELDS = ['driver', 'resource_class', ...INTERFACE_FIELDS];

/**
 * The node as it is written, from the node as patched.
 * @param given fields that the patch names
 * @param reset `reset_interfaces`: interfaces that are not given become the new driver's
 * @throws ConflictError, BadRequestError
 */
export function completedUpdate(
  before: NodeRecord,
  after: NodeRecord,
  given: readonly string[],
  reset: boolean,
): NodeRecord {
  if (reset && before.driver === after.driver)
    throw new BadRequestError(
      "The reset_interfaces parameter can only be used when changing the node's driver.",
    );
  assertReasons(after, given);
  const consequent = withInstanceName(before, withConsequences(before, after));
  const whole = withInterfaces(before, consequent, given, reset);
  assertHardwareChange(before, whole);
  assertFlags(before, whole);
  assertInstanceChange(before, whole);
  return whole;
}

/** Clears a reason together with the state that it explains. */
const withConsequences = (before: NodeRecord, after: NodeRecord): NodeRecord => ({
  ...after,
  ...(before.maintenance !== after.maintenance && { maintenance_reason: null }),
  ...(before.maintenance && !after.maintenance && { fault: null }),
  ...(!after.protected && { protected_reason: null }),
  ...(!after.retired && { retired_reason: null }),
});

function withInterfaces(
  before: NodeRecord,
  after: NodeRecord,
  given: readonly string[],
  reset: boolean,
): NodeRecord {
  const old = defaultInterfaces(before.driver);
  const fresh = defaultInterfaces(after.driver);
  const changes = INTERFACE_FIELDS.filter((name) => {
    if (given.includes(name)) return fieldOf(after, name) === null;
    return before.driver !== after.driver && (reset || fieldOf(after, name) === old[name]);
  });
  return { ...after, ...Object.fromEntries(changes.map((name) => [name, fresh[name]])) };
}

/**
 * Hardware settings change only while nothing relies on them.
 * @throws ConflictError `invalid_state`
 */
function assertHardwareChange(before: NodeRecord, after: NodeRecord): void {
  const field = HARDWARE_FIELDS.find((name) => fieldOf(before, name) !== fieldOf(after, name));
  if (
    field === undefined ||
    before.maintenance ||
    (HARDWARE_CHANGE_STATES as readonly string[]).includes(before.provision_state)
  )
    return;
  throw new ConflictError(
    'invalid_state',
    `Node ${before.uuid} can not have ${field} updated unless it is in one of allowed (${HARDWARE_CHANGE_STATES.join(', ')}) states or in maintenance mode.`,
  );
}

/**
 * An instance is put on a node that has none: setting `instance_uuid` is how it is claimed.
 * @throws ConflictError `node_associated`
 */
function assertInstanceChange(before: NodeRecord, after: NodeRecord): void {
  if (before.instance_uuid === after.instance_uuid) return;
  if (before.allocation_uuid !== null)
    throw new ConflictError(
      'node_associated',
      `Node ${before.uuid} is bound to allocation ${before.allocation_uuid}; remove the allocation instead.`,
    );
  if (before.instance_uuid !== null && after.instance_uuid !== null)
    throw new ConflictError(
      'node_associated',
      `Node ${before.uuid} is associated with instance ${before.instance_uuid}.`,
    );
}
