import { generateKeyPairSync } from 'node:crypto';
import { type HandoverRecord } from '@tenure/contracts';
import { aHandover } from '@tenure/contracts/testing';
import { signStatement } from '@tenure/decision-log';
import { custodyStamp } from '../domain/custody-chain.js';
import { type CustodySigner } from '../ports/custody-signer.js';
import { uuidOf } from './fixtures.js';

/** Signs with a key of its own, in memory. */
export function makeCustodySigner(): CustodySigner {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    sign: (record, head) =>
      Promise.try(() =>
        custodyStamp((statement) => signStatement(statement, privateKey), record, head),
      ),
    publicKeys: [publicKey.export({ type: 'spki', format: 'pem' }).toString()],
  };
}

/** A completed handover of node 1 from project `p-b` to `p-c`, not signed yet. */
export const makeHandover = (
  number: number,
  values: Partial<HandoverRecord> = {},
): HandoverRecord =>
  aHandover({
    uuid: uuidOf(number),
    node_uuid: uuidOf(1),
    cause: 'lease_end',
    status: 'complete',
    to_project: 'p-c',
    decision_id: 'd-1',
    request_id: 'req-1',
    user_id: 'u-1',
    lease_uuid: uuidOf(70),
    agent: 'agent-digest',
    steps: [
      {
        step: 'power_off',
        outcome: 'done',
        at: '2026-11-21T08:00:10+00:00',
        detail: 'the BMC said off',
      },
    ],
    erased: [{ interface: 'deploy', step: 'erase_devices', priority: 10, outcome: 'done' }],
    put_back: { boot_mode: 'uefi' },
    firmware: [{ component: 'bmc', current_version: '2.1' }],
    sealed: { description: 'ours' },
    opened_at: '2026-11-21T08:00:00+00:00',
    updated_at: '2026-11-21T08:05:00+00:00',
    completed_at: '2026-11-21T08:05:00+00:00',
    ...values,
  });
