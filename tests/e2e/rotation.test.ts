import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, imported } from '../support/fleet.js';
import { ask } from '../support/http-client.js';
import { runDirectory } from '../support/paths.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { claimsOf, contextKey, sign } from '../support/signed-context.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// Keys and tokens between the parts are replaced in their files while requests go on, as docs/operations.md says.

/** Parts that hold context keys and run. */
const HOLDERS = 5;
const CONTEXT_KEYS = /"context keys"/u;
/** The file is the decision point's and the gateway's. */
const BOTH = 2;
const PDP_TOKENS = /"client tokens"|"token for the PDP"/u;
const project = newProject('rotation');
const member = inProject(project, 'member');

let tenure: Tenure;
let tokenFile: string;
let node: string;

const newKey = (): string => randomBytes(32).toString('base64url');

/** Puts a text in place of a file at once, as a mounted Secret changes. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const keyFiles = (): readonly string[] =>
  readdirSync(path.join(tenure.dataDir, 'keys'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /--\w+\.key$/u.test(name))
    .map((name) => path.join(tenure.dataDir, 'keys', name));

/** How often parts said that they have read files anew. */
const readings = (what: RegExp): number =>
  tenure
    .log()
    .split('\n')
    .filter((line) => line.includes('files were read again') && what.test(line)).length;

/** Changes files, and waits until as many parts have taken the change up. */
async function takenUp(what: RegExp, parts: number, change: () => void): Promise<void> {
  const before = readings(what);
  change();
  await eventually(
    () => readings(what),
    (now) => now >= before + parts,
    { within: 20_000, what: `${parts} readings of the ${what.source}` },
  );
}

/** Rewrites the file of each pair, at its caller and at its audience. */
function rewriteKeys(linesOf: (pair: string, lines: readonly string[]) => readonly string[]): void {
  for (const file of keyFiles()) {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    replace(file, `${linesOf(path.basename(file), lines).join('\n')}\n`);
  }
}

const REQUESTS = [
  () => ask(tenure, member, `GET /v1/nodes/${node}`),
  () =>
    ask(tenure, member, `PUT /v1/nodes/${node}/states/power`, { body: { target: 'rebooting' } }),
  () => ask(tenure, member, 'GET /v1/allocations'),
  () => ask(tenure, member, 'GET /v2.1/servers'),
  () => ask(tenure, systemAdmin, 'GET /v1/nodes'),
];
/** A reboot may find the node locked by the one before. */
const GOOD: ReadonlySet<number> = new Set([200, 202, 409]);

/** Asks the parts while something else happens; every status that came. */
async function during(work: () => Promise<void>): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>();
  const state = { isDone: false };
  const client = async (): Promise<void> => {
    while (!state.isDone) for (const request of REQUESTS) statuses.add((await request()).status);
  };
  const clients = [client(), client()];
  try {
    await work();
  } finally {
    state.isDone = true;
    await Promise.all(clients);
  }
  return statuses;
}

beforeAll(async () => {
  mkdirSync(runDirectory, { recursive: true });
  tokenFile = path.join(runDirectory, `pdp-token-${randomBytes(4).toString('hex')}`);
  writeFileSync(tokenFile, `${newKey()}\n`, { mode: 0o600 });
  tenure = await startTenure('rotation', { PDP_CLIENT_TOKEN_FILE: tokenFile });
  const document = availableNode('rotating', { owner: project, provision_state: 'active' });
  node = (await imported(tenure, document)).uuid;
});
afterAll(() => tenure.stop());

async function askInventory(key: Buffer): Promise<number> {
  const target = '/v1/nodes';
  const claims = claimsOf({ caller: 'gateway', audience: 'inventory', method: 'GET', target });
  const answer = await fetch(`http://127.0.0.1:${tenure.ports.inventory}${target}`, {
    headers: { 'X-Tenure-Context': sign(claims, key) },
  });
  return answer.status;
}

async function askPdp(token: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${tenure.ports.pdp}/v1/data/tenure/authz/decision`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: '{"input":{}}',
  });
  return answer.status;
}

describe('what the parts know each other by', () => {
  it('is replaced under load without one refused request, and the old context keys count for nothing then', async () => {
    const old = contextKey(tenure, 'gateway', 'inventory');
    expect(await askInventory(old)).toBe(200);
    const fresh = new Map<string, string>();
    const statuses = await during(async () => {
      await takenUp(CONTEXT_KEYS, HOLDERS, () => {
        rewriteKeys((pair, [signing = '']) => {
          fresh.set(pair, fresh.get(pair) ?? newKey());
          return [signing, fresh.get(pair) ?? ''];
        });
      });
      await takenUp(CONTEXT_KEYS, HOLDERS, () => {
        rewriteKeys((_pair, [before = '', after = '']) => [after, before]);
      });
      await takenUp(CONTEXT_KEYS, HOLDERS, () => {
        rewriteKeys((_pair, [signing = '']) => [signing]);
      });
    });
    expect([...statuses].filter((status) => !GOOD.has(status))).toEqual([]);
    expect(await askInventory(old)).toBe(401);
    expect(await askInventory(contextKey(tenure, 'gateway', 'inventory'))).toBe(200);
  }, 120_000);

  it('goes for the token that the gateway shows to the decision point as well', async () => {
    const old = readFileSync(tokenFile, 'utf8').trim();
    const fresh = newKey();
    expect(await askPdp(old)).toBe(200);
    const statuses = await during(async () => {
      await takenUp(PDP_TOKENS, BOTH, () => {
        replace(tokenFile, `${old}\n${fresh}\n`);
      });
      await takenUp(PDP_TOKENS, BOTH, () => {
        replace(tokenFile, `${fresh}\n${old}\n`);
      });
      await takenUp(PDP_TOKENS, BOTH, () => {
        replace(tokenFile, `${fresh}\n`);
      });
    });
    expect([...statuses].filter((status) => !GOOD.has(status))).toEqual([]);
    expect(await askPdp(old)).toBe(401);
    expect(await askPdp(fresh)).toBe(200);
  }, 120_000);
});
