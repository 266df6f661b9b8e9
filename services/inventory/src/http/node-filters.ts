import { BadRequestError, isUuid } from '@tenure/contracts';
import { PROVISION_STATES } from '../domain/states.js';
import { type Condition } from '../ports/record-store.js';
import { flag } from './query-flag.js';

/** A query parameter that narrows a list of nodes. */
interface Parameter {
  readonly since: number;
  /** The field that is compared; null when it is none that may be masked. */
  readonly field: string | null;
  readonly condition: (value: string) => Condition | undefined;
}

const equals = (
  field: string,
  since: number,
  normal: (value: string) => string = (value) => value,
): Parameter => ({
  since,
  field,
  condition: (value) => ({ field, op: 'eq', value: normal(value) }),
});

const uuidText =
  (name: string) =>
  (value: string): string => {
    if (!isUuid(value))
      throw new BadRequestError(`Expected a UUID but received ${value.slice(0, 64)} for ${name}.`);
    return value.toLowerCase();
  };

const knownState = (value: string): string => {
  if (!PROVISION_STATES.has(value))
    throw new BadRequestError(`Provision state "${value.slice(0, 64)}" is not valid`);
  return value;
};

/** Why the conductor may put a node into maintenance. */
const FAULTS: ReadonlySet<string> = new Set([
  'power failure',
  'clean failure',
  'rescue abort failure',
  'service failure',
]);

const knownFault = (value: string): string => {
  if (!FAULTS.has(value))
    throw new BadRequestError(
      `Unrecognized fault "${value.slice(0, 64)}" is specified, allowed faults are ${[...FAULTS].join(', ')}`,
    );
  return value;
};

const isFlag = (field: string, since: number): Parameter => ({
  since,
  field,
  condition: (value) => ({ field, op: 'eq', value: flag(field, value) }),
});

const listed = (field: string, since: number): Parameter => ({
  since,
  field,
  condition: (value) => ({ field, op: 'in', values: value.split(',').map((one) => one.trim()) }),
});

const isGiven = (name: string, field: string, since: number): Parameter => ({
  since,
  field,
  condition: (value) => ({ field, op: flag(name, value) ? 'not_null' : 'null' }),
});

/** Looked up by whoever lists, and not a condition by itself. */
const lookedUp = (field: string | null, since: number): Parameter => ({
  since,
  field,
  condition: () => undefined,
});

/** What a list of nodes can be narrowed by. */
export const NODE_FILTERS: Readonly<Record<string, Parameter>> = {
  chassis_uuid: equals('chassis_uuid', 1, uuidText('chassis_uuid')),
  instance_uuid: equals('instance_uuid', 1, uuidText('instance_uuid')),
  associated: isGiven('associated', 'instance_uuid', 1),
  maintenance: isFlag('maintenance', 1),
  provision_state: equals('provision_state', 9, knownState),
  driver: equals('driver', 16),
  resource_class: equals('resource_class', 21),
  fault: equals('fault', 42, knownFault),
  conductor_group: equals('conductor_group', 46, (value) => value.toLowerCase()),
  conductor: lookedUp('conductor', 49),
  owner: equals('owner', 50),
  description_contains: {
    since: 51,
    field: 'description',
    condition: (value) => ({ field: 'description', op: 'contains', value }),
  },
  retired: isFlag('retired', 61),
  lessee: equals('lessee', 65),
  shard: listed('shard', 82),
  sharded: isGiven('sharded', 'shard', 82),
  parent_node: lookedUp('parent_node', 83),
  include_children: lookedUp(null, 83),
  instance_name: equals('instance_name', 104),
};
