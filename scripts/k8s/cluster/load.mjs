// A steady, bounded load on a gateway, and what came of it: how many answers of which status, and what was lost.
// Usage: node load.mjs URL TOKEN_FILE SECONDS RATE     (at most 300 s and 300 requests a second)
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const DEADLINE_MS = 15_000;
const TICK_MS = 20;

const [url, tokenFile, seconds, rate] = process.argv.slice(2);
const lasts = Math.min(Number(seconds), 300) * 1000;
const perMs = Math.min(Number(rate), 300) / 1000;
const token = readFileSync(tokenFile, 'utf8').trim();
const headers = { 'X-Auth-Token': token, 'X-OpenStack-Ironic-API-Version': '1.81' };
const targets = [
  '/v1/nodes?limit=3',
  '/v1/nodes/rack1-u01',
  '/v1/nodes/rack1-u02/states',
  '/v1/allocations',
];

const seen = {};
const lost = [];
let slowest = 0;

const ask = async (number) => {
  const started = performance.now();
  try {
    const answer = await fetch(url + targets[number % targets.length], {
      headers,
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    await answer.text();
    seen[answer.status] = (seen[answer.status] ?? 0) + 1;
    if (answer.status !== 200) lost.push(`${new Date().toISOString()} ${answer.status}`);
  } catch (error) {
    seen['none'] = (seen['none'] ?? 0) + 1;
    lost.push(`${new Date().toISOString()} ${error.cause?.code ?? error.name}`);
  }
  slowest = Math.max(slowest, performance.now() - started);
};

const begun = performance.now();
const requests = [];
while (performance.now() - begun < lasts) {
  const due = Math.floor((performance.now() - begun) * perMs);
  while (requests.length < due) requests.push(ask(requests.length));
  await sleep(TICK_MS);
}
await Promise.all(requests);
console.log(JSON.stringify({ requests: requests.length, seen, slowestMs: Math.round(slowest) }));
for (const line of lost.slice(0, 20)) console.log(line);
