import { randomUUID } from 'node:crypto';
import {
  AppError,
  BadRequestError,
  ConflictError,
  type ContextClaims,
  type NodeRecord,
  NotFoundError,
  timestampOf,
} from '@tenure/contracts';
import { type BmcAddressCheck } from '@tenure/http';
import { assertConditions } from '../domain/conditions.js';
import { conductorFor } from '../domain/conductors.js';
import {
  BUILT_IN_DRIVERS,
  defaultInterfaces,
  INTERFACE_FIELDS,
} from '../domain/driver-interfaces.js';
import { minEpochOf } from '../domain/epochs.js';
import { uuidIn } from '../domain/field-values.js';
import { withInstanceName } from '../domain/instance-name.js';
import { assertInstanceProject } from '../domain/instance-project.js';
import { NODE } from '../domain/kinds/node.js';
import { type Values } from '../domain/kinds/resource-kind.js';
import { assertSecretsStay } from '../domain/moved-secrets.js';
import { assertNetworkData } from '../domain/network-data.js';
import { assertReasons } from '../domain/node-flags.js';
import { firstState, newNode } from '../domain/node-record.js';
import { assertNodeFits } from '../domain/node-size.js';
import { completedUpdate } from '../domain/node-update.js';
import { type PatchOperation } from '../domain/patch-operations.js';
import { givenValues, patchedValues } from '../domain/resource-values.js';
import { DELETE_STATES } from '../domain/states.js';
import { type Stores } from '../ports/stores.js';
import {
  assertCurrent,
  changeNode,
  lockedError,
  nodeContended,
  type WriteContext,
} from './change-node.js';
import { conductorsAt } from './conductors.js';
import { duplicateError } from './duplicate-error.js';
import { recordPendingDeletion, finishDeletion } from './node-belongings.js';
import { assertNoFamily, hasChildren, linkedParent } from './parent-node.js';
import { untilWritten } from './until-written.js';

export interface WriteDependencies {
  readonly stores: Stores;
  readonly now: () => Date;
  /** Refuses a node whose BMC address is forbidden. */
  readonly checkBmcAddress: BmcAddressCheck;
}

export interface NodeUpdate {
  /** The user of the request; null when there is none. */
  readonly user: string | null;
  readonly uuid: string;
  readonly ident: string;
  readonly operations: readonly PatchOperation[];
  readonly resetInterfaces: boolean;
}

const DELETE_TRIES = 10;

/**
 * The fields that a POST body gives, checked, and the state in which the node begins.
 * @param minor the negotiated microversion
 * @throws BadRequestError; NotAcceptableError when a field is newer than the version
 */
export const createValues = (body: Values, minor: number): Values => ({
  ...givenValues(NODE, body, minor),
  provision_state: firstState(minor),
});

/**
 * Creates a node.
 * @throws BadRequestError; ConflictError `duplicate`, `condition_not_met`; AppError 413 `quota_exceeded`
 */
export async function createNode(
  deps: WriteDependencies,
  values: Values,
  context: Pick<ContextClaims, 'obligations' | 'subject'>,
): Promise<NodeRecord> {
  const uuid = uuidIn(values['uuid']) ?? randomUUID();
  const interfaces = defaultInterfaces(String(values['driver']));
  const chosen = Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => value !== null || !INTERFACE_FIELDS.includes(name),
    ),
  );
  const fields = {
    ...interfaces,
    ...chosen,
    ...context.obligations.set,
    uuid,
    created_at: timestampOf(deps.now()),
    updated_at: null,
  };
  const given = Object.keys(values);
  const requested = newNode(fields, 0);
  assertReasons(requested, given);
  assertNetworkData(requested.network_data);
  const sketch = withInstanceName(newNode({}, 0), {
    ...requested,
    parent_node: await linkedParent(deps.stores.nodes, requested, context),
  });
  assertNodeFits(null, sketch);
  assertConditions(sketch, context.obligations, 'create node');
  assertInstanceProject(null, sketch, context.obligations);
  await assertDriver(deps, sketch, context);
  await assertChassis(deps, sketch.chassis_uuid);
  await deps.checkBmcAddress(sketch.driver_info['redfish_address']);
  await finishDeletion(deps.stores, uuid);
  try {
    return await deps.stores.nodes.insert((epoch) =>
      newNode({ ...sketch, ...payerOf(sketch, context) }, epoch),
    );
  } catch (error) {
    throw duplicateError(error, NODE, fields);
  }
}

/**
 * Applies a patch to a node that nobody has locked and whose tenancy is the one decided on.
 * @throws ConflictError, BadRequestError, NotFoundError, TenancyChangedError, AppError 413 `quota_exceeded`
 */
export const updateNode = (
  deps: WriteDependencies,
  update: NodeUpdate,
  context: WriteContext,
): Promise<NodeRecord> =>
  changeNode({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid: update.uuid,
    ident: update.ident,
    history: { nodeHistory: deps.stores.nodeHistory, conductor: null, user: update.user },
    by: { ...context, given: update.operations.map(({ field }) => field) },
    change: async (before) => {
      assertCurrent(before, context);
      const given = update.operations.map(({ field }) => field);
      const requested = await patchedNode(deps, before, update.operations, context);
      assertNodeFits(before, requested);
      if (before.reservation !== null) throw lockedError(before, context.obligations.fields.masked);
      assertConditions(
        before,
        context.obligations,
        `change ${given.includes('owner') ? 'owner' : [...new Set(given)].join(', ')} of node`,
      );
      const after = completedUpdate(before, requested, given, update.resetInterfaces);
      assertSecretsStay(before, after, update.operations);
      if (before.driver !== after.driver || before.conductor_group !== after.conductor_group)
        await assertDriver(deps, after, context);
      const { redfish_address: address } = after.driver_info;
      if (before.driver_info['redfish_address'] !== address) await deps.checkBmcAddress(address);
      if (before.chassis_uuid !== after.chassis_uuid) await assertChassis(deps, after.chassis_uuid);
      assertNoLease(before, after);
      await assertOwnerChange(deps, before, after);
      return after;
    },
  });

/**
 * Deletes a node that nobody has locked and whose tenancy is the one decided on.
 * @throws ConflictError, AppError 403 `node_protected`, NotFoundError, TenancyChangedError
 */
export async function deleteNode(
  deps: WriteDependencies,
  uuid: string,
  ident: string,
  context: WriteContext,
): Promise<void> {
  const attempt = async (): Promise<true | undefined> => {
    const node = await deps.stores.nodes.findBy('uuid', uuid);
    if (node === undefined) throw NotFoundError.of('Node', ident);
    assertCurrent(node, context);
    assertDeletable(node, context);
    if (await hasChildren(deps.stores.nodes, uuid))
      throw new ConflictError(
        'node_has_children',
        `Node ${uuid} is the parent of other nodes; give them another parent, or delete them first.`,
      );
    await recordPendingDeletion(deps.stores, node, deps.now());
    if (!(await deps.stores.nodes.remove(uuid, node.revision, minEpochOf(node)))) return undefined;
    await finishDeletion(deps.stores, uuid);
    return true;
  };
  await untilWritten(DELETE_TRIES, attempt, () => nodeContended(ident));
}

async function assertDriver(
  deps: WriteDependencies,
  { driver, conductor_group: group }: NodeRecord,
  { obligations }: Pick<ContextClaims, 'obligations'>,
): Promise<void> {
  const live = await conductorsAt(deps.stores, deps.now());
  const served =
    live.length === 0
      ? (BUILT_IN_DRIVERS as readonly string[]).includes(driver)
      : conductorFor(live, driver, group) !== null;
  if (served) return;
  const where = obligations.fields.masked.includes('conductor_group')
    ? ''
    : ` for conductor group "${group}"`;
  throw new BadRequestError(
    `No valid host was found. Reason: No conductor service registered which supports driver ${driver}${where}. Ensure the driver is valid and enabled.`,
  );
}

async function assertChassis({ stores }: WriteDependencies, uuid: unknown): Promise<void> {
  if (
    typeof uuid === 'string' &&
    (await stores.resources.chassis.findBy('uuid', uuid)) === undefined
  )
    throw new BadRequestError(`Chassis ${uuid} could not be found.`);
}

/** The account that pays for a node: the project that creates it for itself. */
const payerOf = (
  { owner }: NodeRecord,
  { subject }: Pick<ContextClaims, 'subject'>,
): Pick<NodeRecord, 'charged_to'> =>
  owner !== null && subject?.project_id === owner ? { charged_to: owner } : {};

/** The patched node. Errors of the request itself are thrown before those of the node's state. */
async function patchedNode(
  { stores }: WriteDependencies,
  before: NodeRecord,
  operations: readonly PatchOperation[],
  context: WriteContext,
): Promise<NodeRecord> {
  const patched = patchedValues(NODE, before, operations);
  assertInstanceProject(before, patched, context.obligations);
  const names = (field: string): boolean => operations.some((one) => one.field === field);
  if (names('network_data')) assertNetworkData(patched.network_data);
  if (!names('parent_node')) return patched;
  return { ...patched, parent_node: await linkedParent(stores.nodes, patched, context) };
}

/** Owner and lessee of a node do not change under a lease: the lease must be ended first. */
function assertNoLease(before: NodeRecord, after: NodeRecord): void {
  const isMoved = before.owner !== after.owner || before.lessee !== after.lessee;
  if (isMoved && typeof before.lease_uuid === 'string')
    throw new ConflictError(
      'node_leased',
      `Cannot change owner or lessee of node ${before.uuid}: it has lease ${before.lease_uuid}; end that first.`,
    );
}

async function assertOwnerChange(
  { stores }: WriteDependencies,
  before: NodeRecord,
  after: NodeRecord,
): Promise<void> {
  if (before.owner === after.owner) return;
  await assertNoFamily(stores.nodes, after);
  if (before.allocation_uuid === null) return;
  const allocation = await stores.allocations.findBy('uuid', before.allocation_uuid);
  if (allocation !== undefined && allocation.owner !== null)
    throw new ConflictError(
      'node_allocated',
      `Cannot change owner of node ${before.uuid}: it is bound to allocation ${allocation.uuid}, which has an owner.`,
    );
}

function assertDeletable(node: NodeRecord, context: WriteContext): void {
  if (node.reservation !== null) throw lockedError(node, context.obligations.fields.masked);
  assertConditions(node, context.obligations, 'delete node');
  if (node.protected)
    throw new AppError(
      'node_protected',
      403,
      `Node ${node.uuid} is protected and can not be undeployed, rebuilt or deleted`,
    );
  if (node.maintenance) return;
  if (node.instance_uuid !== null)
    throw new ConflictError(
      'node_associated',
      `Node ${node.uuid} is associated with instance ${node.instance_uuid}.`,
    );
  if (!(DELETE_STATES as readonly string[]).includes(node.provision_state))
    throw new ConflictError(
      'invalid_state',
      `Can not delete node "${node.uuid}" while it is in provision state "${node.provision_state}". Valid provision states to perform deletion are: "${DELETE_STATES.join(', ')}", or set the node into maintenance mode.`,
    );
}
