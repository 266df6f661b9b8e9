import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CustodyHead, type HandoverRecord } from '@tenure/contracts';
import { type CustodyChain, publicKeysOf, verifyCustody } from '@tenure/decision-log';
import { type CustodySigner } from '../ports/custody-signer.js';
import { makeHandover } from '../testing/custody.js';
import { uuidOf } from '../testing/fixtures.js';
import { openCustodySigner } from './custody-signer-key.js';

let directory: string;
let keyFile: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'custody-key-'));
  keyFile = path.join(directory, 'keys', 'custody', 'private.pem');
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const later = (number: number) => ({
  opened_at: `2026-11-21T0${number}:00:00+00:00`,
  completed_at: `2026-11-21T0${number}:05:00+00:00`,
});

/** Two handovers of node 1, each signed by one of the signers. */
async function chainOf(first: CustodySigner, second: CustodySigner): Promise<CustodyChain> {
  let head: CustodyHead = { count: 0, digest: null };
  const records: HandoverRecord[] = [];
  for (const signer of [first, second]) {
    const record = makeHandover(head.count + 1, later(head.count + 1));
    const { number, digest, ...stamp } = await signer.sign(record, head);
    head = { count: number, digest };
    records.push({ ...record, number, digest, ...stamp });
  }
  return { nodeUuid: uuidOf(1), records, head, open: null };
}

const keysOf = ({ publicKeys }: CustodySigner) => publicKeysOf(publicKeys.join('\n'));

describe('the key that signs handovers', () => {
  it('is made when it is missing, for its owner alone, with its public half beside it', () => {
    const signer = openCustodySigner(keyFile);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(keyFile)).mode & 0o777).toBe(0o700);
    const beside = readFileSync(path.join(path.dirname(keyFile), 'public.pem'), 'utf8');
    expect(beside).toBe(signer.publicKeys[0]);
    expect(beside).not.toContain('PRIVATE');
  });

  it('signs what a second process with the same file verifies', async () => {
    const chain = await chainOf(openCustodySigner(keyFile), openCustodySigner(keyFile));
    const { findings } = verifyCustody(chain, keysOf(openCustodySigner(keyFile)));
    expect(findings).toEqual([]);
  });

  it('leaves what the key before it signed verifiable', async () => {
    const old = openCustodySigner(keyFile);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const replaced = openCustodySigner(keyFile);
    const chain = await chainOf(old, replaced);
    expect(replaced.publicKeys).toHaveLength(2);
    expect(verifyCustody(chain, keysOf(replaced)).findings).toEqual([]);
    expect(verifyCustody(chain, keysOf(openCustodySigner(keyFile))).findings).toEqual([]);
  });

  it('takes older keys also from the file itself, behind the one that signs', async () => {
    const old = openCustodySigner(keyFile);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const both = path.join(directory, 'both.pem');
    const fresh = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    writeFileSync(both, `${fresh}${old.publicKeys.join('')}`);
    const signer = openCustodySigner(both);
    expect(verifyCustody(await chainOf(old, signer), keysOf(signer)).findings).toEqual([]);
  });

  it('is refused when it is of another kind', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const file = path.join(directory, 'rsa.pem');
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(() => openCustodySigner(file)).toThrow('must be an EC key on P-256');
  });
});
