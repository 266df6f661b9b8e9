import { randomUUID } from 'node:crypto';
import {
  BadRequestError,
  type NodeRecord,
  TenancyChangedError,
  timestampOf,
  UnavailableError,
} from '@tenure/contracts';
import { assertConditions } from '../../domain/conditions.js';
import { uuidIn } from '../../domain/field-values.js';
import {
  type ResourceKind,
  type ResourceSection,
  type Values,
} from '../../domain/kinds/resource-kind.js';
import { type PatchOperation } from '../../domain/patch-operations.js';
import { patchedValues } from '../../domain/resource-values.js';
import { isLinkable } from '../../domain/visibility.js';
import { type ResourceRecord } from '../../ports/resource-records.js';
import { type VolumeRegistry } from '../../ports/volume-registry.js';
import { isCharged } from '../budgets/bills.js';
import { assertCurrent, lockedError } from '../change-node.js';
import { duplicateError } from '../duplicate-error.js';
import { isTenants, tenantIn } from '../handovers/tenant-attachments.js';
import { untilWritten } from '../until-written.js';
import { CHASSIS_RULES } from './chassis-rules.js';
import {
  findCurrent,
  type Found,
  linkRefused,
  type ResourceContext,
  type ResourceStores,
} from './find-resource.js';
import { PORT_RULES } from './port-rules.js';
import { PORTGROUP_RULES } from './portgroup-rules.js';
import { VOLUME_CONNECTOR_RULES, VOLUME_TARGET_RULES } from './volume-rules.js';
import { type RuleScope, type WriteRules } from './write-rules.js';

const TRIES = 10;

const RULES: Readonly<Record<ResourceSection, WriteRules>> = {
  ports: PORT_RULES,
  portgroups: PORTGROUP_RULES,
  chassis: CHASSIS_RULES,
  volume_connectors: VOLUME_CONNECTOR_RULES,
  volume_targets: VOLUME_TARGET_RULES,
  deploy_templates: {},
};

export interface ResourceDependencies {
  readonly stores: ResourceStores;
  readonly now: () => Date;
  readonly volumes?: VolumeRegistry | undefined;
  /** For writes that no budget may refuse: they revert an earlier write. */
  readonly unrefused?: ResourceStores['resources'] | undefined;
}

// A message about a record on a node never names the holder of the node's lock: the caller may not be allowed to see
// the node's fields.
const UNSEEN_OF_THE_NODE = ['reservation'] as const;

export interface ResourceUpdate {
  /** How the caller named the record, for the 404. */
  readonly ident: string;
  readonly operations: readonly PatchOperation[];
}

/** @throws ConflictError `duplicate` */
export async function insertResource(
  { stores }: { readonly stores: Pick<ResourceStores, 'resources'> },
  kind: ResourceKind,
  fields: Omit<ResourceRecord, 'revision'>,
): Promise<ResourceRecord> {
  try {
    return await stores.resources[kind.section].insert((epoch) => ({ ...fields, revision: epoch }));
  } catch (error) {
    throw duplicateError(error, kind, fields);
  }
}

/**
 * Creates a record.
 * @param values as `createdValues` gives them
 * @throws BadRequestError; ConflictError `duplicate`, `node_locked`; TenancyChangedError
 */
export async function createResource(
  deps: ResourceDependencies,
  kind: ResourceKind,
  values: Values,
  context: ResourceContext,
): Promise<Found> {
  const { stores, now, volumes } = deps;
  const node = kind.onNode ? await nodeOfNew(stores, String(values['node_uuid']), context) : null;
  const fields = {
    ...values,
    ...(node !== null && { node_uuid: node.uuid }),
    ...tenantOf(kind, node, context),
    charged_to: null,
    ...payerOf(kind, node, context),
    uuid: uuidIn(values['uuid']) ?? randomUUID(),
    created_at: timestampOf(now()),
    updated_at: null,
  };
  assertConditions(fields, context.obligations, `create ${kind.what}`);
  assertUnlocked(node);
  const scope: RuleScope = { stores, node, context, volumes };
  const rules = RULES[kind.section];
  await rules.created?.(scope, fields);
  const record = await insertResource(deps, kind, fields).catch(async (error: unknown) => {
    await ignoringErrors(rules.left?.(scope, { ...fields, revision: 0 }));
    throw error;
  });
  await orTakenBack(
    async () => {
      await rules.written?.(scope, null, record);
      if (!(await isAsDecided(stores, node))) throw new TenancyChangedError();
    },
    async () => {
      await stores.resources[kind.section].remove(record.uuid, record.revision, record.revision);
      await rules.left?.(scope, record);
    },
  );
  return { record, node };
}

/**
 * Applies a patch to a record whose node nobody has locked and whose tenancy is the one decided on.
 * @throws BadRequestError, ConflictError, NotFoundError, TenancyChangedError
 */
export async function updateResource(
  deps: ResourceDependencies,
  kind: ResourceKind,
  { ident, operations }: ResourceUpdate,
  context: ResourceContext,
): Promise<Found> {
  const { stores, now, volumes, unrefused = stores.resources } = deps;
  const rules = RULES[kind.section];
  const attempt = async (): Promise<Found | undefined> => {
    const found = await findCurrent(stores, kind, ident, context);
    const { record, node } = found;
    const patched = patchedValues(kind, record, operations);
    await assertMovable(stores, found, patched, context);
    assertUnlocked(node);
    assertConditions(record, context.obligations, `change ${kind.what}`);
    const scope: RuleScope = { stores, node, context, volumes };
    await rules.updated?.(scope, record, patched);
    const after = {
      ...patched,
      ...tenantOf(kind, node, context),
      ...payerOf(kind, node, context),
      updated_at: timestampOf(now()),
      revision: record.revision + 1,
    };
    if (!(await swap(deps, kind, after, record.revision))) return undefined;
    await orTakenBack(
      async () => {
        await rules.written?.(scope, record, after);
        if (!(await isAsDecided(stores, node))) throw new TenancyChangedError();
      },
      async () => {
        const former = { ...record, revision: after.revision + 1 };
        await unrefused[kind.section].swap(former, after.revision);
        await rules.left?.(scope, after);
      },
    );
    await ignoringErrors(rules.left?.(scope, record));
    return { record: after, node };
  };
  return untilWritten(TRIES, attempt, () => overwhelmed(kind, ident));
}

/**
 * Deletes a record whose node nobody has locked and whose tenancy is the one decided on.
 * @throws BadRequestError, ConflictError, NotFoundError, TenancyChangedError
 */
export async function deleteResource(
  { stores }: ResourceDependencies,
  kind: ResourceKind,
  ident: string,
  context: ResourceContext,
): Promise<void> {
  const rules = RULES[kind.section];
  const attempt = async (): Promise<true | undefined> => {
    const { record, node } = await findCurrent(stores, kind, ident, context);
    assertUnlocked(node);
    assertConditions(record, context.obligations, `delete ${kind.what}`);
    const scope: RuleScope = { stores, node, context };
    await rules.removed?.(scope, record);
    const store = stores.resources[kind.section];
    if (!(await store.remove(record.uuid, record.revision, record.revision))) return undefined;
    await ignoringErrors(rules.left?.(scope, record));
    return true;
  };
  await untilWritten(TRIES, attempt, () => overwhelmed(kind, ident));
}

/**
 * The node of a new record: the body must name the node that the decision was made on.
 * @throws BadRequestError when there is none; TenancyChangedError
 */
async function nodeOfNew(
  { nodes }: ResourceStores,
  ident: string,
  context: ResourceContext,
): Promise<NodeRecord> {
  const [resource] = context.resources;
  const node = resource?.type === 'node' ? await nodes.findBy('uuid', resource.uuid) : undefined;
  if (node === undefined) throw new BadRequestError(`Node ${ident} could not be found.`);
  if (ident !== node.uuid && ident !== node.name) throw new TenancyChangedError();
  assertCurrent(node, context);
  return node;
}

/** The tenant of a record that a tenant adds to a node, or changes: the record is removed with the tenant. */
function tenantOf(
  { section }: ResourceKind,
  node: NodeRecord | null,
  { subject }: ResourceContext,
): { readonly tenant?: string } {
  const tenant = isTenants(section) ? tenantIn(node, subject?.project_id) : undefined;
  return tenant === undefined ? {} : { tenant };
}

/**
 * The account that pays for a record on a node: the project that wrote it last, if it owns or leases the node. Tenure's own
 * records are charged to no account, and its changes leave the account unchanged.
 */
function payerOf(
  { section }: ResourceKind,
  node: NodeRecord | null,
  { subject }: ResourceContext,
): Pick<ResourceRecord, 'charged_to'> {
  const project = subject?.project_id ?? null;
  return isCharged(section) && project !== null && isTenancyOf(node, project)
    ? { charged_to: project }
    : {};
}

function assertUnlocked(node: NodeRecord | null): void {
  if (node !== null && node.reservation !== null) throw lockedError(node, UNSEEN_OF_THE_NODE);
}

/** Ignores errors of a cleanup after a write: the next reader cleans up (`claims.ts`), and the write has succeeded. */
const ignoringErrors = (act: Promise<void> | undefined): Promise<void> =>
  Promise.resolve(act).catch(() => undefined);

async function orTakenBack(
  check: () => Promise<void>,
  takeBack: () => Promise<void>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    await takeBack();
    throw error;
  }
}

/**
 * Whether the node still exists, with the same tenancy, after a record of it was written. Otherwise the caller had no
 * right to that write any more, and it is reverted.
 */
const isAsDecided = async ({ nodes }: ResourceStores, node: NodeRecord | null): Promise<boolean> =>
  node === null ||
  (await nodes.findBy('uuid', node.uuid))?.tenancy_revision === node.tenancy_revision;

const isTenancyOf = (node: NodeRecord | null, project: string): boolean =>
  node?.owner === project || node?.lessee === project;

/**
 * A record moves only to a node that the caller may see and that has the same owner.
 * @throws BadRequestError, the same for every reason; ConflictError `node_locked`
 */
async function assertMovable(
  { nodes }: ResourceStores,
  { record, node }: Found,
  after: ResourceRecord,
  { obligations }: ResourceContext,
): Promise<void> {
  if (after.node_uuid === record.node_uuid) return;
  const target = await nodes.findBy('uuid', String(after.node_uuid));
  if (
    target === undefined ||
    !isLinkable(target, obligations.filter) ||
    target.owner !== (node?.owner ?? null)
  )
    throw linkRefused('node_uuid');
  assertUnlocked(target);
}

async function swap(
  { stores }: ResourceDependencies,
  kind: ResourceKind,
  after: ResourceRecord,
  expectedRevision: number,
): Promise<boolean> {
  try {
    return await stores.resources[kind.section].swap(after, expectedRevision);
  } catch (error) {
    throw duplicateError(error, kind, after);
  }
}

const overwhelmed = ({ label }: ResourceKind, ident: string): UnavailableError =>
  new UnavailableError(`${label} ${ident} is being changed by many others; please retry.`);
