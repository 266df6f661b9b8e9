import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { handoverDigest, type HandoverRecord } from '@tenure/contracts';
import { aHandover } from '@tenure/contracts/testing';
import { signStatement } from '../statements.js';
import { type CustodyChain } from '../verify-custody.js';

export const NODE = '00000000-0000-4000-8000-000000000001';

export const handoverUuid = (number: number): string =>
  `00000000-0000-4000-8000-${String(number + 100).padStart(12, '0')}`;

export function aKey(): { readonly key: KeyObject; readonly publicKey: KeyObject } {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { key, publicKey };
}

/** Signs a record as a link that follows another. */
export function signed(
  record: HandoverRecord,
  previous: string | null,
  key: KeyObject,
): HandoverRecord {
  const linked = { ...record, previous };
  const digest = handoverDigest(linked);
  const { uuid, node_uuid, number, completed_at } = record;
  const place = { number: number ?? 0, previous, digest, completed_at: completed_at ?? '' };
  return {
    ...linked,
    digest,
    signature: signStatement({ typ: 'handover', uuid, node_uuid, ...place }, key),
  };
}

/** The whole chain of a node with this many completed handovers. */
export function aChain(
  key: KeyObject,
  count: number,
  change: (record: HandoverRecord) => HandoverRecord = (record) => record,
): CustodyChain {
  let previous: string | null = null;
  const records = Array.from({ length: count }, (_, index) => {
    const record = signed(change(plain(index + 1)), previous, key);
    previous = record.digest;
    return record;
  });
  return { nodeUuid: NODE, records, head: { count, digest: previous }, open: null };
}

/** A completed handover that is the `number`th of its node, not signed yet. */
const plain = (number: number): HandoverRecord =>
  aHandover({
    uuid: handoverUuid(number),
    node_uuid: NODE,
    cause: 'lease_end',
    status: 'complete',
    to_project: null,
    steps: [{ step: 'power_off', outcome: 'done', at: moment(number, 1), detail: null }],
    erased: [{ interface: 'deploy', step: 'erase_devices', priority: 10, outcome: 'done' }],
    sealed: { extra: { a: 1 } },
    opened_at: moment(number, 0),
    updated_at: moment(number, 5),
    completed_at: moment(number, 5),
    revision: 3,
    number,
  });

const moment = (hour: number, minute: number): string =>
  `2026-11-21T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00+00:00`;
