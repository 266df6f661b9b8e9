import { AppError, fieldOf, type NodeRecord } from '@tenure/contracts';
import { CALLER_FIELDS } from './tenant-fields.js';

/**
 * Maximum bytes of all caller-written data on one node, as JSON. It equals the limit of one object of a node
 * (`valueChecker`), so that every value that one request could write before still fits.
 */
export const NODE_BYTES = 512 * 1024;

/**
 * Refuses a write that makes the data of a node exceed its limit. Data that was larger before may stay and shrink.
 * @param before null for a new node
 * @throws AppError 413 `quota_exceeded`, which names `node_bytes`
 */
export function assertNodeFits(before: NodeRecord | null, after: NodeRecord): void {
  const bytes = writtenBytes(after);
  if (bytes <= NODE_BYTES || (before !== null && bytes <= writtenBytes(before))) return;
  throw new AppError(
    'quota_exceeded',
    413,
    `Quota exceeded for node_bytes: at most ${String(NODE_BYTES)} bytes may be written on a node.`,
  );
}

const writtenBytes = (node: NodeRecord): number =>
  Buffer.byteLength(JSON.stringify(CALLER_FIELDS.map((field) => fieldOf(node, field) ?? null)));
