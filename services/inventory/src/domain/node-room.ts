import { AppError, type NodeRecord } from '@tenure/contracts';
import { WORDS } from './tenant-words.js';

/**
 * Bytes for all that callers write on one node, as JSON. One object of a node may have as many (`valueChecker`), so that
 * whatever could be written in one request still can.
 */
export const NODE_BYTES = 512 * 1024;

const wordBytes = (node: NodeRecord): number =>
  Buffer.byteLength(JSON.stringify(WORDS.map((field) => node[field] ?? null)));

/**
 * Refuses a write that makes more of a node than it has room for. What was larger before may stay, and may shrink.
 * @param before null for a new node
 * @throws AppError 413 `quota_exceeded`, which names `node_bytes`
 */
export const assertNodeFits = (before: NodeRecord | null, after: NodeRecord): void => {
  const bytes = wordBytes(after);
  if (bytes <= NODE_BYTES || (before !== null && bytes <= wordBytes(before))) return;
  throw new AppError(
    'quota_exceeded',
    413,
    `Quota exceeded for node_bytes: at most ${String(NODE_BYTES)} bytes may be written on a node.`,
  );
};
