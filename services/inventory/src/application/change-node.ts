import {
  type AppError,
  ConflictError,
  type ContextClaims,
  fieldOf,
  type NodeRecord,
  NotFoundError,
  TenancyChangedError,
  timestampOf,
  UnavailableError,
} from '@tenure/contracts';
import { withCustody, type WriteCause } from '../domain/custody.js';
import { NODE } from '../domain/kinds/node.js';
import { nextVersion } from '../domain/node-record.js';
import { DuplicateValueError } from '../ports/record-store.js';
import { type NodeStore } from '../ports/stores.js';
import { duplicateError } from './duplicate-error.js';
import { keepLatestEvent, type HistoryTarget, versionWithEvent } from './node-history.js';
import { untilWritten } from './until-written.js';

const MAX_TRIES = 30;

/** The part of its call's context that a write needs. */
export type WriteContext = Pick<ContextClaims, 'resources' | 'obligations'> & WriteCause;

export interface NodeChange {
  readonly nodes: NodeStore;
  readonly uuid: string;
  /** How the caller named the node, for the 404. */
  readonly ident: string;
  readonly now: () => Date;
  /** Sees the node as it is at the very revision that is written over; throws to refuse; undefined changes nothing. */
  readonly change: (node: NodeRecord) => NodeRecord | undefined | Promise<NodeRecord | undefined>;
  /** The history to which the change is recorded, with its actor; absent for changes that have no history. */
  readonly history?: HistoryTarget;
  /** The request that it is made for; absent: by the clock. */
  readonly by?: WriteCause;
}

/** Fields that a former tenant freed, and that others may have taken since. */
const TAKEN_MEANWHILE: ReadonlySet<string> = new Set(['name', 'instance_uuid']);

/** The error for a caller whom others keep beating to a node. */
export const nodeContended = (ident: string): UnavailableError =>
  new UnavailableError(`Node ${ident} is being changed by many others; please retry.`);

/**
 * The error for a locked node, with the text of Ironic. It names the holder if the caller may see it.
 * @param masked fields that are masked for the caller
 */
export function lockedError(node: NodeRecord, masked: readonly string[]): ConflictError {
  const holder = masked.includes('reservation') ? '' : ` by host ${String(node.reservation)}`;
  return new ConflictError(
    'node_locked',
    `Node ${node.uuid} is locked${holder}, please retry after the current operation is completed.`,
  );
}

/** @throws TenancyChangedError when the context's decision was made on another owner or lessee of this node */
export function assertCurrent(
  node: { readonly uuid: string; readonly tenancy_revision: number },
  context: Pick<ContextClaims, 'resources'>,
): void {
  for (const resource of context.resources)
    if (resource.uuid === node.uuid && resource.tenancy_revision !== node.tenancy_revision)
      throw new TenancyChangedError();
}

/**
 * Changes one node under optimistic concurrency: whatever `change` checked still holds when its result is written.
 * @throws NotFoundError; ConflictError `duplicate`; UnavailableError when others keep winning; what `change` throws
 */
export async function changeNode(request: NodeChange): Promise<NodeRecord> {
  const { nodes, uuid, ident, change } = request;
  const attempt = async (): Promise<NodeRecord | undefined> => {
    const before = await nodes.findBy('uuid', uuid);
    if (before === undefined) throw NotFoundError.of('Node', ident);
    const changed = await change(before);
    return changed === undefined ? before : write(request, before, changed);
  };
  return untilWritten(MAX_TRIES, attempt, () => nodeContended(ident));
}

/** 409 `lock_lost`: a caller that no longer has the lock must not write. */
export const lockLost = (uuid: string): AppError =>
  new ConflictError('lock_lost', `The lock on node ${uuid} has another holder, or was released.`);

/** Writes the next version, with its history event. Returns undefined when a concurrent write won. */
async function write(
  { nodes, now, history, by = {} }: NodeChange,
  before: NodeRecord,
  changed: NodeRecord,
): Promise<NodeRecord | undefined> {
  const moment = now();
  const kept = withCustody(before, changed, by, timestampOf(moment));
  const next = nextVersion(before, kept, moment);
  const after = await swapped(
    nodes,
    before,
    history === undefined ? next : await versionWithEvent(history, before, next, moment),
  );
  if (after === undefined) return undefined;
  if (history !== undefined && after !== next)
    // The write has succeeded. An event that is not recorded now is recorded by the next read or write of the history.
    await keepLatestEvent(history.nodeHistory, after).catch(() => undefined);
  return after;
}

async function swapped(
  nodes: NodeStore,
  before: NodeRecord,
  after: NodeRecord,
): Promise<NodeRecord | undefined> {
  try {
    return (await nodes.swap(after, before.revision, before)) ? after : undefined;
  } catch (error) {
    const other = withoutTaken(before, after, error);
    if (other === undefined) throw duplicateError(error, NODE, after);
    return swapped(nodes, before, other);
  }
}

/**
 * The version to write when another node has got a value that the end of a tenancy restores: without that value. A name
 * cannot be used to keep a machine.
 */
function withoutTaken(
  before: NodeRecord,
  after: NodeRecord,
  error: unknown,
): NodeRecord | undefined {
  if (!(error instanceof DuplicateValueError) || !TAKEN_MEANWHILE.has(error.field))
    return undefined;
  const { field } = error;
  return isPutBack(before, after, field) && fieldOf(after, field) !== null
    ? { ...after, [field]: null }
    : undefined;
}

/** Whether a field has its value because a tenancy has ended, and not because the change asks for it. */
function isPutBack(before: NodeRecord, after: NodeRecord, field: string): boolean {
  const opening = openingOf(after);
  if (opening?.fields.includes(field) !== true) return false;
  return (
    opening.uuid !== openingOf(before)?.uuid || fieldOf(after, field) === fieldOf(before, field)
  );
}

const openingOf = ({ custody }: NodeRecord) => custody?.opening ?? undefined;
