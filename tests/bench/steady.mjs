// Minutes of mixed load at 70 % of the peak rate, with the memory of each part; then ten times the peak rate for ten seconds,
// and the time until every part has recovered.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { median, quantile, round, say, table, verdict } from './lib.mjs';

const { startTenure } = await import('../support/tenure.ts');
const { availableNode } = await import('../support/fleet.ts');
const { inProject } = await import('../support/personas.ts');

const MINUTES = Number(process.env['TENURE_BENCH_MINUTES'] ?? 10);
const PROJECTS = 20;
const NODES = 25;
const PEAK_CONNECTIONS = 32;
const PEAK_SECONDS = 10;
const SHARE = 0.7;
const OVERLOAD = 10;
const OVERLOAD_SECONDS = 10;
const MOST_OUTSTANDING = 1500;
const BACK_SECONDS = 5;
const MOST_GROWTH = 1.1;
const PARTS = ['gateway', 'pdp', 'inventory', 'conductor', 'allocation', 'compute'];

const projects = Array.from({ length: PROJECTS }, (_, number) => `steady-${number}`);
const fleet = projects.map((owner) =>
  Array.from({ length: NODES }, (_, number) => availableNode(`${owner}-${number}`, { owner })),
);

/** In this order: mostly reads, some lists, some writes, few orders. */
const MIX = 'rrrrlrrrrwrrrrlrrrro'.split('');
const requestOf = (index, tokens) => {
  const project = index % PROJECTS;
  const { uuid } = fleet[project][Math.floor(index / PROJECTS) % NODES];
  const headers = {
    'X-OpenStack-Ironic-API-Version': '1.65',
    'X-Auth-Token': tokens[project],
    'Content-Type': 'application/json',
  };
  switch (MIX[index % MIX.length]) {
    case 'l':
      return { method: 'GET', path: '/v1/nodes?limit=20', headers };
    case 'w':
      return {
        method: 'PATCH',
        path: `/v1/nodes/${uuid}`,
        headers,
        body: JSON.stringify([{ op: 'add', path: '/extra/number', value: index }]),
      };
    case 'o':
      return {
        method: 'PUT',
        path: `/v1/nodes/${uuid}/states/power`,
        headers,
        body: JSON.stringify({ target: 'power on' }),
      };
    default:
      return { method: 'GET', path: `/v1/nodes/${uuid}`, headers };
  }
};

let count = 0;
/** 409: a recent order still locks the node. */
const isGood = (status) => status < 300 || status === 409;

async function one(pool, tokens, seen) {
  const from = performance.now();
  count += 1;
  let status;
  try {
    const { statusCode, body } = await pool.request(requestOf(count, tokens));
    await body.dump();
    status = statusCode;
  } catch (error) {
    status = error.code ?? error.name;
  }
  seen.answers[status] = (seen.answers[status] ?? 0) + 1;
  if (isGood(status)) seen.latencies.push(performance.now() - from);
  return status;
}
const nothingSeen = () => ({ answers: {}, latencies: [] });

async function peakOf(pool, tokens) {
  const seen = nothingSeen();
  const end = performance.now() + PEAK_SECONDS * 1000;
  const worker = async () => {
    while (performance.now() < end) await one(pool, tokens, seen);
  };
  await Promise.all(Array.from({ length: PEAK_CONNECTIONS }, worker));
  return { perSecond: seen.latencies.length / PEAK_SECONDS, ...seen };
}

/** Sends requests at a fixed rate, whatever the responses; `each` runs every ten seconds. */
async function atRate(perSecond, seconds, { pool, tokens, seen, each = () => undefined }) {
  const outstanding = new Set();
  const began = performance.now();
  let sent = 0;
  let nextLook = 10;
  let unsent = 0;
  for (;;) {
    const elapsed = (performance.now() - began) / 1000;
    if (elapsed >= seconds) break;
    for (; sent < perSecond * elapsed; sent += 1) {
      if (outstanding.size >= MOST_OUTSTANDING) {
        unsent += 1;
        continue;
      }
      const request = one(pool, tokens, seen).finally(() => outstanding.delete(request));
      outstanding.add(request);
    }
    if (elapsed >= nextLook) {
      each();
      nextLook += 10;
    }
    await sleep(5);
  }
  await Promise.all(outstanding);
  return { sent: sent - unsent, unsent };
}

const residentMb = (pid) =>
  Number(/VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const isReady = async (tenure, part) => {
  const port = tenure.env[`${part.toUpperCase()}_ADMIN_PORT`];
  const signal = AbortSignal.timeout(1000);
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal }).catch(() => undefined);
  return answer?.status === 200;
};

/** Seconds until the start of the first second in which every request succeeds and every part is ready. */
async function secondsUntilBack(tenure, pool, tokens) {
  const from = performance.now();
  for (;;) {
    const began = performance.now();
    const seen = nothingSeen();
    await atRate(20, 1, { pool, tokens, seen });
    const ready = await Promise.all(PARTS.map((part) => isReady(tenure, part)));
    const isWell = Object.keys(seen.answers).every((status) => isGood(Number(status)));
    if (isWell && ready.every(Boolean)) return (began - from) / 1000;
    if (performance.now() - from > 60_000) return Infinity;
  }
}

const counts = (answers) =>
  Object.entries(answers)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');

const tenure = await startTenure('bench-steady', { GATEWAY_RATE_LIMIT: '100000' });
const pool = new Pool(tenure.url, { connections: 512, pipelining: 1 });
try {
  const file = path.join(tenure.dataDir, 'bench-import.json');
  writeFileSync(file, JSON.stringify({ nodes: fleet.flat() }));
  await tenure.cli('import', file);
  const tokens = await Promise.all(
    projects.map((project) => tenure.token(inProject(project, 'member'))),
  );
  await peakOf(pool, tokens);
  const peak = await peakOf(pool, tokens);
  const rate = peak.perSecond * SHARE;
  const pids = PARTS.map((part) => tenure.pidOf(part));
  const memory = PARTS.map(() => []);
  const seen = nothingSeen();
  const { sent } = await atRate(rate, MINUTES * 60, {
    pool,
    tokens,
    seen,
    each: () => {
      for (const [index, pid] of pids.entries()) memory[index].push(residentMb(pid));
    },
  });
  const sorted = seen.latencies.toSorted((a, b) => a - b);
  say(
    `Mixed load of ${PROJECTS} projects (reads, lists, writes, orders): at most ${round(peak.perSecond)} requests a second; ${round(rate)} a second for ${MINUTES} min, ${sent} requests.`,
  );
  say(
    `Answered ${counts(seen.answers)}; p50 ${round(quantile(sorted, 0.5), 1)} ms, p99 ${round(quantile(sorted, 0.99), 1)} ms.`,
  );
  const third = (values, number) => {
    const size = Math.floor(values.length / 3);
    return median(values.slice(number * size, (number + 1) * size));
  };
  const growth = memory.map((values) => third(values, 2) / third(values, 1));
  table(
    ['part', 'first third MB', 'second third MB', 'last third MB', 'last / second'],
    PARTS.map((part, index) => [
      part,
      ...[0, 1, 2].map((number) => round(third(memory[index], number))),
      `${round(growth[index], 2)}x`,
    ]),
  );
  const worst = Math.max(...growth);
  verdict(
    `memory, last third against second: at most ${round(worst, 2)}x (goal at most ${MOST_GROWTH}x)`,
    worst <= MOST_GROWTH,
  );
  const failed = Object.keys(seen.answers).filter((status) => !isGood(Number(status)));
  verdict('errors under 70 % of peak (goal none)', failed.length === 0);

  const flooded = nothingSeen();
  const flood = await atRate(peak.perSecond * OVERLOAD, OVERLOAD_SECONDS, {
    pool,
    tokens,
    seen: flooded,
  });
  const back = await secondsUntilBack(tenure, pool, tokens);
  say(
    `${OVERLOAD} times the peak for ${OVERLOAD_SECONDS} s: ${flood.sent} sent, ${flood.unsent} not, for ${MOST_OUTSTANDING} were under way; answered ${counts(flooded.answers)}.`,
  );
  verdict(
    `every part is back after ${round(back, 1)} s (goal at most ${BACK_SECONDS} s)`,
    back <= BACK_SECONDS,
  );
} finally {
  await pool.destroy();
  await tenure.stop();
}
