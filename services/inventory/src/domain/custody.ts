import { createHash, randomUUID } from 'node:crypto';
import {
  type ContextClaims,
  type HandoverCause,
  type HandoverOpening,
  type HandoverPlan,
  type NodeRecord,
} from '@tenure/contracts';
import {
  remembered,
  type ClearedNode,
  withOverwrittenValues,
  withNewTenant,
  withoutLesseeValues,
  withoutOwnerValues,
  tenantValuesOf,
} from './tenant-fields.js';

/** The request, or the order, that a write of a node is made for. */
export type WriteCause = Partial<
  Pick<ContextClaims, 'subject' | 'action' | 'request_id' | 'decision_id'>
> & {
  /** Fields that the request names. */
  readonly given?: readonly string[];
};

const AT_REST: ReadonlySet<string> = new Set([
  'enroll',
  'manageable',
  'available',
  'verify failed',
  'inspect failed',
]);

/** A tenancy that ends with a write, and why. */
interface Ending {
  readonly cause: HandoverCause;
  readonly by: WriteCause;
  /** As `timestampOf` writes it. */
  readonly at: string;
}

/** The id of the handover with which a lease ends: the same for every caller, so that there is only one. */
export function handoverOfLease(leaseUuid: string): string {
  const digest = createHash('sha256').update(`tenure handover of lease ${leaseUuid}`).digest('hex');
  // A UUID of version 8: made of a digest.
  const [a, b, c, d, e] = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return [a, b, c, d, e].join('-');
}

/** The project that has the machine: its lessee, or else its owner. */
export const holderOf = ({ owner, lessee }: Pick<NodeRecord, 'owner' | 'lessee'>): string | null =>
  lessee ?? owner;

/** Whether the policy decided on the user of a write: a service acts for users without their rights. */
export const isDecided = ({ subject = null }: WriteCause): boolean =>
  subject !== null &&
  (subject.project_id ?? subject.system_scope ?? subject.domain_id ?? null) !== null;

/** Whether a write is an order of a user, and not a conductor's own work or the request of an agent. */
export const isOrder = ({ subject = null, action = '' }: WriteCause): boolean =>
  subject !== null || !(action.startsWith('tenure:') || action.includes(':ipa_'));

export const isInHandover = (node: NodeRecord): boolean => typeof node.handover_uuid === 'string';

/** Whether a handover of this cause takes the machine from its tenant; after any other the tenant may keep it. */
export const endsTenancy = (cause: HandoverCause): boolean =>
  cause !== 'undeploy' && cause !== 'allocation_end';

/**
 * A node as it is to be written, with the consequences for its custody. If the write ends a tenancy, the values of its
 * tenant are removed and a handover is opened; otherwise the former values of the fields that the tenant changes are
 * kept.
 * @param before as it was, at this moment
 * @param at as `timestampOf` formats it
 */
export function withCustody(
  before: NodeRecord,
  changed: NodeRecord,
  by: WriteCause,
  at: string,
): NodeRecord {
  const after = withoutOldLessee(before, changed, by);
  const cause = endingOf(before, after);
  if (cause === 'lessee_changed' && isUndeployed(before)) {
    const { node } = withoutLesseeValues(before, after);
    return { ...node, custody: { ...after.custody, before: {} } };
  }
  if (cause !== undefined) return opened(before, after, { cause, by, at });
  if (before.lessee === null || before.lessee !== after.lessee) return begun(before, after);
  const values = isOthers(before, by)
    ? withOverwrittenValues(before, after, remembered(before, after, false))
    : remembered(before, after, isTenants(before, by));
  return values === undefined ? after : { ...after, custody: { ...after.custody, before: values } };
}

/** The node at the end of its lease, which needs no request. */
export const atLeaseEnd = (node: NodeRecord, end: string): NodeRecord =>
  opened(
    node,
    { ...node, lessee: null, lessee_until: null },
    { cause: 'lease_end', by: {}, at: end },
  );

/** Whether a handover needs nothing done on its machine. */
export const needsNothing = ({ plan, cause }: HandoverOpening): boolean =>
  cause !== 'lease_end' && plan !== null && !plan.undeploy && !plan.clean;

/**
 * The node once its handover is complete.
 * @param head number and digest of the completed handover
 */
export const handedOver = (
  node: NodeRecord,
  head: NonNullable<NodeRecord['custody']>['head'],
): NodeRecord => ({
  ...node,
  handover_uuid: null,
  custody: {
    ...(node.custody?.before !== undefined && { before: node.custody.before }),
    touched: false,
    opening: null,
    ...(head !== undefined && { head }),
  },
});

/** Removes the lessee of the old owner, unless the new owner's write sets it. */
const withoutOldLessee = (
  before: NodeRecord,
  after: NodeRecord,
  { given = [] }: WriteCause,
): NodeRecord =>
  before.owner !== null && before.owner !== after.owner && !given.includes('lessee')
    ? { ...after, lessee: null }
    : after;

/** How the tenancy ends with a write; undefined when it does not. */
function endingOf(before: NodeRecord, after: NodeRecord): HandoverCause | undefined {
  if (isTakenFrom(before.owner, after.owner)) return 'owner_changed';
  if (isTakenFrom(before.lessee, after.lessee))
    return typeof before.lessee_until === 'string' ? 'lease_end' : 'lessee_changed';
  return releaseCauseOf(before, after);
}

/** The lessee of an instance is removed with it: the handover that is open already records that. */
function isUndeployed(before: NodeRecord): boolean {
  const opening = openingIn(before);
  return (
    opening?.cause === 'undeploy' &&
    opening.uuid === before.handover_uuid &&
    opening.from_project === before.lessee
  );
}

function opened(before: NodeRecord, after: NodeRecord, { cause, by, at }: Ending): NodeRecord {
  const { node, fields, sealed } = unworded(cause, before, after);
  const lease_uuid = cause === 'lease_end' ? (before.lease_uuid ?? null) : null;
  const opening: HandoverOpening = {
    uuid: lease_uuid === null ? randomUUID() : handoverOfLease(lease_uuid),
    node_uuid: before.uuid,
    cause,
    owner: before.owner,
    from_project: holderOf(before),
    to_project: holderOf(node),
    plan: planOf(cause, before, node),
    ...requestOf(by),
    lease_uuid,
    allocation_uuid: before.allocation_uuid,
    fields,
    sealed,
    opened_at: at,
  };
  return {
    ...node,
    handover_uuid: opening.uuid,
    custody: { ...before.custody, ...(endsTenancy(cause) && { before: {} }), opening },
  };
}

function begun(before: NodeRecord, after: NodeRecord): NodeRecord {
  if (before.lessee !== null || after.lessee === null) return after;
  const custody = { ...after.custody, before: {} };
  // Open work of the tenancy before stays, even if another one begins.
  return isInHandover(before)
    ? { ...after, custody }
    : { ...withNewTenant(after), custody: { ...custody, touched: false } };
}

/** Whether a write is made for another user than the tenant: the owner or the system. */
const isOthers = (node: NodeRecord, by: WriteCause): boolean =>
  isDecided(by) && !isTenants(node, by);

/** Whether a write is made in the name of the lessee, and not of the owner or the system. */
const isTenants = ({ owner, lessee }: NodeRecord, { subject }: WriteCause): boolean =>
  lessee !== null &&
  lessee !== owner &&
  (subject?.system_scope ?? null) === null &&
  subject?.project_id === lessee;

const isTakenFrom = (before: string | null, after: string | null): boolean =>
  before !== null && after !== before;

/** The cause of a handover when a tenant stops using a machine without losing it. */
function releaseCauseOf(before: NodeRecord, after: NodeRecord): HandoverCause | undefined {
  if (isInHandover(before)) return undefined;
  if (before.provision_state !== 'deleting' && after.provision_state === 'deleting')
    return 'undeploy';
  // A deployed instance stays; the machine is handed over when it is undeployed.
  const isReleased = before.allocation_uuid !== null && after.allocation_uuid === null;
  return isReleased && AT_REST.has(after.provision_state) ? 'allocation_end' : undefined;
}

const openingIn = (node: NodeRecord): HandoverOpening | null => node.custody?.opening ?? null;

function unworded(cause: HandoverCause, before: NodeRecord, after: NodeRecord): ClearedNode {
  if (cause === 'owner_changed') return withoutOwnerValues(before, after);
  if (cause === 'lease_end' || cause === 'lessee_changed')
    return withoutLesseeValues(before, after);
  return { node: after, fields: [], sealed: tenantValuesOf(before) };
}

/** @param node as it is to be written: whether it is cleaned is no word of the tenant that goes */
function planOf(cause: HandoverCause, before: NodeRecord, node: NodeRecord): HandoverPlan | null {
  if (cause === 'lease_end') return null;
  // A machine that is not clean yet is not clean for the next one either.
  if (!isInHandover(before) && isUntouched(before)) return { undeploy: false, clean: false };
  return { undeploy: true, clean: node.automated_clean !== false };
}

/** The request of an order that a service carries out later: its decision is found by that. */
const requestOf = (
  by: WriteCause,
): Pick<HandoverOpening, 'decision_id' | 'request_id' | 'user_id'> => ({
  decision_id: by.decision_id ?? null,
  request_id: isOrder(by) ? (by.request_id ?? null) : null,
  user_id: by.subject?.user_id ?? null,
});

/** Whether a machine needs no work: nobody used it, and nothing runs or is deployed on it. */
const isUntouched = (node: NodeRecord): boolean =>
  node.custody?.touched !== true &&
  node.power_state !== 'power on' &&
  node.target_power_state !== 'power on' &&
  AT_REST.has(node.provision_state) &&
  node.instance_uuid === null &&
  !node.console_enabled;
