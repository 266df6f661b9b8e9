import { BadRequestError, CHANGE, NODE_CATALOGUE, SECRET_OBJECTS } from '@tenure/contracts';
import { isSupportedInterface } from '../driver-interfaces.js';
import { PROVISION_STATES } from '../states.js';
import { resourceKind } from './resource-kind.js';

const HOST_NAME =
  /^(?=.{1,255}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/u;

/** Why the conductor may put a node into maintenance. */
const FAULTS: ReadonlySet<string> = new Set([
  'power failure',
  'clean failure',
  'rescue abort failure',
  'service failure',
]);

/** A machine. Its records are kept by operations of their own, for locks and custody change with them. */
export const NODE = resourceKind({
  section: 'nodes',
  type: 'node',
  label: 'Node',
  path: 'nodes',
  collection: 'nodes',
  catalogue: NODE_CATALOGUE,
  onNode: false,
  named: true,
  lowerCase: ['conductor_group'],
  secretObjects: SECRET_OBJECTS,
  // It contains a configuration drive.
  largeObjects: ['instance_info'],
  assertSent: (field, value, minor) => {
    if (typeof value !== 'string') return;
    if (field === 'name') assertNameFor(minor, value);
    if (!isSupportedInterface(field, value))
      throw new BadRequestError(`${field}: there is no interface "${value.slice(0, 64)}".`);
  },
  assertFilter,
  apart: {
    traits:
      'Cannot update node traits via node patch. Node traits should be updated via the node traits API.',
  },
  duplicate: (field, { uuid, name, instance_uuid: instance }) => {
    if (field === 'uuid') return `A node with UUID ${String(uuid)} already exists.`;
    if (field === 'name') return `A node with name ${String(name)} already exists.`;
    return field === 'instance_uuid'
      ? `Instance ${String(instance)} is already associated with a node, it cannot be associated with this other node ${String(uuid)}.`
      : 'The allocation already holds another node.';
  },
});

// Clients of older versions rely on names that are host names.
function assertNameFor(minor: number, name: string): void {
  if (minor < CHANGE.freeNames.minor && !HOST_NAME.test(name))
    throw new BadRequestError(`Cannot use invalid name ${name.slice(0, 255)}`);
}

function assertFilter(field: string, value: string): void {
  if (field === 'provision_state' && !PROVISION_STATES.has(value))
    throw new BadRequestError(`Provision state "${value.slice(0, 64)}" is not valid`);
  if (field === 'fault' && !FAULTS.has(value))
    throw new BadRequestError(
      `Unrecognized fault "${value.slice(0, 64)}" is specified, allowed faults are ${[...FAULTS].join(', ')}`,
    );
}
