// A quiet tenant alone, and beside a noisy one that sends requests as fast as possible: lists, large bodies, allocations,
// anonymous bodies. Then eight ordinary connections. Once with one replica of each part, once with two behind nginx, with
// Redis and MongoDB.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { quantile, round, say, table, verdict } from './lib.mjs';

const { startTenure } = await import('../support/tenure.ts');
const { startCluster } = await import('../support/cluster/cluster.ts');
const { availableNode } = await import('../support/fleet.ts');
const { inProject } = await import('../support/personas.ts');

const SECONDS = Number(process.env['TENURE_BENCH_SECONDS'] ?? 8);
const NOISY_NODES = 1500;
const QUIET_NODES = 20;
const ALLOCATIONS = Number(process.env['TENURE_BENCH_ALLOCATIONS'] ?? 10_000);
const QUIET_CONNECTIONS = 4;
const ORDINARY_CONNECTIONS = 8;
const NOISE_WARM_MS = 4000;
const GOAL = 1.5;

const quiet = inProject('quiet', 'reader');
const noisy = inProject('noisy', 'member');

const nodes = (owner, count) =>
  Array.from({ length: count }, (_, number) =>
    availableNode(`${owner}-${number}`, {
      owner,
      properties: { cpus: 64, memory_mb: 524_288, local_gb: 3840, cpu_arch: 'x86_64' },
      extra: { rack: `r${number % 40}`, note: 'x'.repeat(1500) },
    }),
  );
const allocations = () =>
  Array.from({ length: ALLOCATIONS }, (_, number) => ({
    uuid: `10000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    name: `a-${number}`,
    owner: 'noisy',
    state: 'error',
    resource_class: 'baremetal',
  }));

const VERSION = { 'X-OpenStack-Ironic-API-Version': '1.65' };
const as = (token) => ({ ...VERSION, 'X-Auth-Token': token });
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A patch of this many kilobytes: larger ones than 128 KiB are refused before they are read. */
const patchOf = (kilobytes) =>
  JSON.stringify(
    Array.from({ length: Math.floor(kilobytes * 1.8) }, (_, number) => ({
      op: 'add',
      path: `/extra/m${number}`,
      value: 'y'.repeat(500),
    })),
  );

const noises = (token, node) => ({
  'lists: 64 × detail?limit=1000': [
    { method: 'GET', path: '/v1/nodes/detail?limit=1000', headers: as(token) },
  ],
  ...Object.fromEntries(
    [500, 120].map((kilobytes) => [
      `bodies: 64 × PATCH of ${kilobytes} KB`,
      [
        {
          method: 'PATCH',
          path: `/v1/nodes/${node}`,
          headers: { ...as(token), ...JSON_TYPE },
          body: patchOf(kilobytes),
        },
      ],
    ]),
  ),
  'allocations: 64 × list of 1,000': [
    { method: 'GET', path: '/v1/allocations?limit=1000', headers: as(token) },
  ],
  'anonymous: 64 × inspection of 60 KB': [
    {
      method: 'POST',
      path: '/v1/continue_inspection',
      headers: { ...VERSION, ...JSON_TYPE },
      body: JSON.stringify({ inventory: { filler: 'z'.repeat(60_000) }, plugin_data: {} }),
    },
  ],
});

/** Reads single nodes of the quiet project, one after the other on each connection. */
async function quietFor(seconds, origin, token, uuids) {
  const pool = new Pool(origin, { connections: QUIET_CONNECTIONS, pipelining: 1 });
  const latencies = [];
  const errors = {};
  const end = performance.now() + seconds * 1000;
  const worker = async (first) => {
    for (let index = first; performance.now() < end; index += 1) {
      const from = performance.now();
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: `/v1/nodes/${uuids[index % uuids.length]}`,
        headers: as(token),
      });
      await body.dump();
      latencies.push(performance.now() - from);
      if (statusCode !== 200) errors[statusCode] = (errors[statusCode] ?? 0) + 1;
      // The rate of a person or a script, not the maximum.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await Promise.all(Array.from({ length: QUIET_CONNECTIONS }, (_, index) => worker(index)));
  await pool.close();
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    errors,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

async function withNoise(origin, requests, run) {
  const script = path.join(import.meta.dirname, 'neighbours-noise.mjs');
  const noise = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  noise.stdin.end(JSON.stringify({ origin, connections: 64, requests }));
  const lines = createInterface({ input: noise.stdout })[Symbol.asyncIterator]();
  await lines.next();
  await new Promise((resolve) => setTimeout(resolve, NOISE_WARM_MS));
  const result = await run();
  noise.kill('SIGTERM');
  const { value } = await lines.next();
  await once(noise, 'exit');
  return { ...result, noise: JSON.parse(value) };
}

const counts = (answers) =>
  Object.entries(answers)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');

/** Lists, reads and writes of one project on eight connections, as fast as the responses arrive. */
async function ordinary(seconds, origin, token, uuids) {
  const pool = new Pool(origin, { connections: ORDINARY_CONNECTIONS, pipelining: 1 });
  const answers = {};
  const end = performance.now() + seconds * 1000;
  const requests = [
    () => ({ method: 'GET', path: '/v1/nodes?limit=20', headers: as(token) }),
    (index) => ({
      method: 'GET',
      path: `/v1/nodes/${uuids[index % uuids.length]}`,
      headers: as(token),
    }),
    () => ({ method: 'GET', path: '/v1/nodes/detail?limit=20', headers: as(token) }),
  ];
  const worker = async (first) => {
    for (let index = first; performance.now() < end; index += 1) {
      const { statusCode, body } = await pool.request(requests[index % requests.length](index));
      await body.dump();
      answers[statusCode] = (answers[statusCode] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: ORDINARY_CONNECTIONS }, (_, index) => worker(index)));
  await pool.close();
  return answers;
}

async function compare(tenure, what) {
  const [loud, still] = [nodes('noisy', NOISY_NODES), nodes('quiet', QUIET_NODES)];
  await tenure.importDocument({ nodes: [...loud, ...still], allocations: allocations() });
  const [quietToken, noisyToken] = [await tenure.token(quiet), await tenure.token(noisy)];
  const uuids = still.map(({ uuid }) => uuid);
  const measure = () => quietFor(SECONDS, tenure.url, quietToken, uuids);
  // Code that ran for seconds is compiled; before, each part is busy with that.
  for (let round = 0; round < 2; round += 1) await measure();
  const alone = await measure();
  const row = (name, { requests, p50, p99, errors }, noise) => [
    name,
    requests,
    round(p50, 1),
    round(p99, 1),
    `${round(p99 / alone.p99, 1)}x`,
    counts(errors),
    noise,
  ];
  const rows = [row('alone', alone, '')];
  let worst = 0;
  let failed = 0;
  for (const [name, requests] of Object.entries(noises(noisyToken, loud[0].uuid))) {
    const beside = await withNoise(tenure.url, requests, measure);
    worst = Math.max(worst, beside.p99 / alone.p99);
    failed += Object.values(beside.errors).reduce((sum, count) => sum + count, 0);
    rows.push(row(name, beside, counts(beside.noise)));
  }
  say(
    `GET of single nodes by a quiet project (${QUIET_CONNECTIONS} connections, 10 ms apart), ${SECONDS} s each; ${what}.`,
  );
  table(
    [
      'quiet tenant',
      'requests',
      'p50 ms',
      'p99 ms',
      'p99 / alone',
      'errors',
      'the noise was answered',
    ],
    rows,
  );
  verdict(
    `p99 beside a noisy tenant: ${round(worst, 1)}x of alone (goal at most ${GOAL}x)`,
    worst <= GOAL,
  );
  verdict(`errors of the quiet tenant: ${failed} (goal none)`, failed === 0);
  const answers = await ordinary(SECONDS, tenure.url, quietToken, uuids);
  const wrong = Object.keys(answers).filter((status) => status !== '200');
  verdict(
    `${ORDINARY_CONNECTIONS} ordinary connections were answered ${counts(answers)} (goal no error)`,
    wrong.length === 0,
  );
}

const [wanted = 'both'] = process.argv.slice(2);
const settings = [
  ['one', 'one replica of each part, embedded store', () => startTenure('bench-neighbours')],
  [
    'two',
    'two replicas of each part behind nginx, Redis, MongoDB',
    () => startCluster('bench-neighbours', { replicas: () => 2 }),
  ],
];
for (const [name, what, start] of settings) {
  if (wanted !== 'both' && wanted !== name) continue;
  const tenure = await start();
  try {
    await compare(tenure, what);
  } finally {
    await tenure.stop();
  }
}
