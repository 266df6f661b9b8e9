import { fieldOf, type NodeRecord } from '@tenure/contracts';
import {
  type BudgetName,
  type Charges,
  projectAccount,
  userAccount,
} from '../../domain/budgets.js';
import { PORT } from '../../domain/kinds/port.js';
import { PORTGROUP } from '../../domain/kinds/portgroup.js';
import { type ResourceKind, type ResourceSection } from '../../domain/kinds/resource-kind.js';
import { type ResourceRecord } from '../../ports/resource-records.js';
import {
  type ClaimRecord,
  type StoredAllocation,
  type StoredKeypair,
  type StoredLease,
  type StoredServer,
} from '../../ports/stores.js';

/** The cost of a record, and the account that pays it. */
export interface Bill {
  readonly account: string;
  readonly charges: Charges;
}

/** Undefined: no account pays for the record. */
export type BillOf<R> = (record: R) => Bill | undefined;

// Fields that Tenure itself writes (states, faults, revisions) cost nothing, because those writes are never refused.
const ALLOCATION_FIELDS = ['name', 'traits', 'candidate_nodes', 'extra'] as const;
const LEASE_FIELDS = ['purpose'] as const;
const KEYPAIR_FIELDS = ['name', 'public_key'] as const;
const SERVER_FIELDS = [
  'name',
  'description',
  'key_name',
  'public_key',
  'metadata',
  'tags',
  'hostname',
  'image_ref',
  'vifs',
  'user_data',
  'locked_reason',
] as const;
const VOLUME_FIELDS = ['volume_id', 'volume_type', 'properties', 'connector_id', 'extra'] as const;

const ENDED: ReadonlySet<string> = new Set(['ended', 'cancelled']);

const writable = ({ catalogue }: Pick<ResourceKind, 'catalogue'>): readonly string[] =>
  catalogue.fields.filter((field) => field.writable).map(({ name }) => name);

const RESOURCES = {
  volume_targets: { budget: 'volume_targets', fields: VOLUME_FIELDS },
  volume_connectors: { budget: 'volume_connectors', fields: VOLUME_FIELDS },
  ports: { budget: 'ports', fields: writable(PORT) },
  portgroups: { budget: 'ports', fields: writable(PORTGROUP) },
} as const satisfies Partial<
  Record<ResourceSection, { readonly budget: BudgetName; readonly fields: readonly string[] }>
>;

/** Kinds of records on nodes that are charged to projects. */
type ChargedSection = keyof typeof RESOURCES;

export const CHARGED_SECTIONS = Object.keys(RESOURCES) as readonly ChargedSection[]; // its own keys

export const allocationBill: BillOf<StoredAllocation> = (allocation) =>
  billTo(ofProject(allocation.owner), 'allocations', bytesOf(allocation, ALLOCATION_FIELDS));

/** The owner of the node, which grants the lease, pays: a lessee cannot use up the budget of another project. */
export const leaseBill: BillOf<StoredLease> = (lease) =>
  ENDED.has(lease.status)
    ? undefined
    : billTo(ofProject(lease.owner), 'leases', bytesOf(lease, LEASE_FIELDS));

export const serverBill: BillOf<StoredServer> = (server) =>
  billTo(projectAccount(server.project_id), 'servers', bytesOf(server, SERVER_FIELDS));

export const keypairBill: BillOf<StoredKeypair> = (keypair) =>
  billTo(userAccount(keypair.user_id), 'keypairs', bytesOf(keypair, KEYPAIR_FIELDS));

export const claimBill: BillOf<ClaimRecord> = (claim) =>
  billTo(ofProject(claim.project_id), 'claims', bytesOf(claim, ['id']));

export const isCharged = (section: ResourceSection): section is ChargedSection =>
  Object.hasOwn(RESOURCES, section);

/** Charged to the project that created the record, or wrote it last. */
export function resourceBill(section: ChargedSection): BillOf<ResourceRecord> {
  const { budget, fields } = RESOURCES[section];
  return (record) => billTo(ofProject(record.charged_to), budget, bytesOf(record, fields));
}

/**
 * Charged to the project that created the node for itself, while it owns the node. Data on a node costs no bytes, because its
 * size is limited for each node (`assertNodeFits`).
 */
export const nodeBill: BillOf<Pick<NodeRecord, 'owner' | 'charged_to'>> = ({
  owner,
  charged_to: project = null,
}) =>
  project === null || project !== owner
    ? undefined
    : { account: projectAccount(project), charges: { nodes: 1 } };

const billTo = (account: string | undefined, budget: BudgetName, bytes: number): Bill | undefined =>
  account === undefined ? undefined : { account, charges: { [budget]: 1, bytes } };

const ofProject = (project: unknown): string | undefined =>
  typeof project === 'string' ? projectAccount(project) : undefined;

/** Bytes of the tenant-written fields of a record, as JSON. */
const bytesOf = (record: object, fields: readonly string[]): number =>
  Buffer.byteLength(JSON.stringify(fields.map((field) => fieldOf(record, field) ?? null)));
