import { randomUUID } from 'node:crypto';
import {
  AppError,
  BadRequestError,
  ConflictError,
  type ContextClaims,
  nodeField,
  type NodeRecord,
  NotAcceptableError,
  NotFoundError,
  UnavailableError,
} from '@tenure/contracts';
import { assertConditions } from '../domain/conditions.js';
import { conductorFor, liveConductors } from '../domain/conductors.js';
import {
  BUILT_IN_DRIVERS,
  defaultInterfaces,
  INTERFACE_FIELDS,
} from '../domain/driver-interfaces.js';
import { assertSecretsStay } from '../domain/moved-secrets.js';
import { applyPatch, type PatchOperation } from '../domain/node-patch.js';
import { epochFloorOf, newNode, timestampOf } from '../domain/node-record.js';
import { completedUpdate } from '../domain/node-update.js';
import { checkedInput, uuidIn } from '../domain/node-values.js';
import { DELETE_STATES } from '../domain/states.js';
import { type Condition } from '../ports/record-store.js';
import { type ConductorRecord, type Stores } from '../ports/stores.js';
import {
  assertCurrent,
  changeNode,
  duplicateNodeError,
  lockedError,
  type WriteContext,
} from './change-node.js';

export interface WriteDependencies {
  readonly stores: Stores;
  readonly now: () => Date;
}

const everything = (where: readonly Condition[]) =>
  ({
    anyOf: null,
    where,
    order: { field: null, descending: false },
    after: null,
    limit: 10_000,
  }) as const;

/** Conductors that are alive now, by name. */
export const conductorsNow = async ({
  stores,
  now,
}: WriteDependencies): Promise<readonly ConductorRecord[]> =>
  liveConductors(await stores.conductors.list(everything([])), now()) as readonly ConductorRecord[]; // a filtered list of the same records

const assertDriver = async (
  deps: WriteDependencies,
  { driver, conductor_group: group }: NodeRecord,
  { obligations }: Pick<ContextClaims, 'obligations'>,
): Promise<void> => {
  const live = await conductorsNow(deps);
  const served =
    live.length === 0
      ? (BUILT_IN_DRIVERS as readonly string[]).includes(driver)
      : conductorFor(live, driver, group) !== null;
  if (served) return;
  const where = obligations.fields.masked.includes('conductor_group')
    ? ''
    : ` for conductor group "${String(group)}"`;
  throw new BadRequestError(
    `No valid host was found. Reason: No conductor service registered which supports driver ${driver}${where}. Ensure the driver is valid and enabled.`,
  );
};

const assertChassis = async ({ stores }: WriteDependencies, uuid: unknown): Promise<void> => {
  if (
    typeof uuid === 'string' &&
    (await stores.documents.chassis.findBy('uuid', uuid)) === undefined
  )
    throw new BadRequestError(`Chassis ${uuid} could not be found.`);
};

type Body = Readonly<Record<string, unknown>>;

/**
 * The fields of a POST body, checked.
 * @param minor the negotiated microversion
 * @throws BadRequestError; NotAcceptableError when a field is newer than the version
 */
export const createValues = (body: Body, minor: number): Body => {
  const names = Object.keys(body);
  const unknown = names.find((name) => name !== 'uuid' && nodeField(name)?.writable !== true);
  if (unknown !== undefined)
    throw new BadRequestError(
      `Schema error for node: Additional properties are not allowed ('${unknown.slice(0, 64)}' was unexpected)`,
    );
  if (names.some((name) => (nodeField(name)?.since ?? 0) > minor)) throw new NotAcceptableError();
  const values = Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, checkedInput(name, value)]),
  );
  if (typeof values['driver'] !== 'string')
    throw new BadRequestError("Schema error for node: 'driver' is a required property");
  return values;
};

/**
 * Creates a node.
 * @throws BadRequestError; ConflictError `duplicate`, `condition_not_met`
 */
export const createNode = async (
  deps: WriteDependencies,
  values: Body,
  context: Pick<ContextClaims, 'obligations'>,
): Promise<NodeRecord> => {
  const uuid = uuidIn(values['uuid']) ?? randomUUID();
  const interfaces = defaultInterfaces(String(values['driver']));
  const given = Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => value !== null || !INTERFACE_FIELDS.includes(name),
    ),
  );
  const fields = {
    ...interfaces,
    ...given,
    ...context.obligations.set,
    uuid,
    created_at: timestampOf(deps.now()),
    updated_at: null,
  };
  const sketch = newNode(fields, 0);
  assertConditions(sketch, context.obligations, 'create node');
  await assertDriver(deps, sketch, context);
  await assertChassis(deps, sketch['chassis_uuid']);
  try {
    return await deps.stores.nodes.insert((epoch) => newNode(fields, epoch));
  } catch (error) {
    throw duplicateNodeError(error, fields);
  }
};

const assertOwnerChange = async (
  { stores }: WriteDependencies,
  before: NodeRecord,
  after: NodeRecord,
): Promise<void> => {
  if (before.owner === after.owner || before.allocation_uuid === null) return;
  const allocation = await stores.allocations.findBy('uuid', before.allocation_uuid);
  if (allocation !== undefined && allocation.owner !== null)
    throw new ConflictError(
      'node_allocated',
      `Cannot change owner of node ${before.uuid}: it is bound to allocation ${allocation.uuid}, which has an owner.`,
    );
};

export interface NodeUpdate {
  readonly uuid: string;
  readonly ident: string;
  readonly operations: readonly PatchOperation[];
  readonly resetInterfaces: boolean;
}

/**
 * Applies a patch to a node that nobody has locked and whose tenancy is the one decided on.
 * @throws ConflictError, BadRequestError, NotFoundError, TenancyChangedError
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
    change: async (before) => {
      assertCurrent(before, context);
      if (before.reservation !== null) throw lockedError(before, context.obligations.fields.masked);
      const given = update.operations.map(({ field }) => field);
      assertConditions(
        before,
        context.obligations,
        `change ${given.includes('owner') ? 'owner' : [...new Set(given)].join(', ')} of node`,
      );
      const after = completedUpdate(
        before,
        applyPatch(before, update.operations),
        given,
        update.resetInterfaces,
      );
      assertSecretsStay(before, after, update.operations);
      if (before.driver !== after.driver || before['conductor_group'] !== after['conductor_group'])
        await assertDriver(deps, after, context);
      if (before['chassis_uuid'] !== after['chassis_uuid'])
        await assertChassis(deps, after['chassis_uuid']);
      await assertOwnerChange(deps, before, after);
      return after;
    },
  });

const assertDeletable = (node: NodeRecord, context: WriteContext): void => {
  if (node.reservation !== null) throw lockedError(node, context.obligations.fields.masked);
  assertConditions(node, context.obligations, 'delete node');
  if (node['protected'] === true)
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
};

/** What belongs to a node goes with it. */
const removeBelongings = async ({ stores }: WriteDependencies, node: NodeRecord): Promise<void> => {
  for (const store of [
    stores.documents.ports,
    stores.documents.portgroups,
    stores.documents.volume_connectors,
    stores.documents.volume_targets,
  ])
    for (const row of await store.list(
      everything([{ field: 'node_uuid', op: 'eq', value: node.uuid }]),
    ))
      await store.remove(row.uuid, row.revision, row.revision);
  const allocation =
    node.allocation_uuid === null
      ? undefined
      : await stores.allocations.findBy('uuid', node.allocation_uuid);
  if (allocation !== undefined)
    await stores.allocations.remove(
      allocation.uuid,
      allocation.revision,
      Math.max(allocation.revision, allocation.tenancy_revision),
    );
};

const DELETE_TRIES = 10;

/**
 * Deletes a node that nobody has locked and whose tenancy is the one decided on.
 * @throws ConflictError, AppError 403 `node_protected`, NotFoundError, TenancyChangedError
 */
export const deleteNode = async (
  deps: WriteDependencies,
  uuid: string,
  ident: string,
  context: WriteContext,
): Promise<void> => {
  for (let attempt = 0; attempt < DELETE_TRIES; attempt += 1) {
    const node = await deps.stores.nodes.findBy('uuid', uuid);
    if (node === undefined) throw NotFoundError.of('Node', ident);
    assertCurrent(node, context);
    assertDeletable(node, context);
    if (!(await deps.stores.nodes.remove(uuid, node.revision, epochFloorOf(node)))) continue;
    await removeBelongings(deps, node);
    return;
  }
  throw new UnavailableError(`Node ${ident} is being changed by many others; please retry.`);
};
