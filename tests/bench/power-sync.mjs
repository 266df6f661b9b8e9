// The power sync of a real conductor over many simulated BMCs that take 200 ms each: the duration of a round, and the number of
// open connections.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { round, say, table, verdict } from './lib.mjs';

const { startTenure } = await import('../support/tenure.ts');
const { availableNode } = await import('../support/fleet.ts');
const { scrape } = await import('../support/scrape.ts');
const { certificates } = await import('../support/paths.ts');

const BMCS = Number(process.env['TENURE_BENCH_BMCS'] ?? 5000);
const ANSWER_MS = 200;
/** The default configuration. */
const PERIOD_SECONDS = 120;
const MOST_SOCKETS = 600;
const ROUNDS = 2;
const username = 'operator';
const password = randomUUID();

async function startStub() {
  const script = path.join(import.meta.dirname, 'redfish-stub.mjs');
  const { certificate, key } = certificates;
  const args = [script, certificate, key, `${username}:${password}`, String(ANSWER_MS)];
  const stub = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await once(stub.stdout, 'data');
  return { stub, port: Number(printed) };
}

const fleet = (port) =>
  Array.from({ length: BMCS }, (_, number) =>
    availableNode(`sync-${number}`, {
      driver: 'redfish',
      power_state: 'power on',
      driver_info: {
        redfish_address: `https://127.78.${Math.floor(number / 250)}.${(number % 250) + 1}:${port}`,
        redfish_system_id: '/redfish/v1/Systems/1',
        redfish_username: username,
        redfish_password: password,
        redfish_verify_ca: false,
        redfish_auth_type: 'basic',
      },
    }),
  );

/** Connections to the stub, from the kernel. */
const socketsTo = (port) =>
  execFileSync('ss', ['-Htn', 'state', 'established', `( dport = :${port} )`], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '').length;

const valueOf = (metrics, name, part, labels = {}) => {
  const samples = metrics
    .flatMap((metric) => metric.samples)
    .filter(
      (sample) =>
        sample.name === `${name}${part}` &&
        Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    );
  return samples.reduce((sum, { value }) => sum + value, 0);
};
const rounds = async (tenure) => {
  const metrics = await scrape(tenure, 'conductor');
  const duration = 'tenure_conductor_power_sync_round_duration_seconds';
  return {
    count: valueOf(metrics, duration, '_count'),
    seconds: valueOf(metrics, duration, '_sum'),
    same: valueOf(metrics, 'tenure_conductor_power_sync_nodes_total', '', { outcome: 'same' }),
  };
};

const { stub, port } = await startStub();
const tenure = await startTenure('bench-power-sync', { CONDUCTOR_POWER_SYNC_SECONDS: '1' });
try {
  const file = path.join(tenure.dataDir, 'bench-import.json');
  writeFileSync(file, JSON.stringify({ nodes: fleet(port) }));
  await tenure.cli('import', file);
  // Skips the round that ran during the import.
  const first = await rounds(tenure);
  let before = first;
  while (before.count <= first.count) {
    await sleep(500);
    before = await rounds(tenure);
  }
  const rows = [];
  let worst = 0;
  let most = 0;
  while (rows.length < ROUNDS) {
    await sleep(500);
    most = Math.max(most, socketsTo(port));
    const now = await rounds(tenure);
    if (now.count === before.count) continue;
    const seconds = (now.seconds - before.seconds) / (now.count - before.count);
    worst = Math.max(worst, seconds);
    rows.push([`round ${rows.length + 1}`, BMCS, now.same - before.same, round(seconds, 1), most]);
    before = now;
  }
  say(`Power sync of ${BMCS} BMCs that answer after ${ANSWER_MS} ms, 32 at a time.`);
  table(['power sync', 'BMCs', 'read as recorded', 'seconds', 'most connections'], rows);
  verdict(
    `the longest round: ${round(worst, 1)} s (goal at most the ${PERIOD_SECONDS} s between two rounds)`,
    worst <= PERIOD_SECONDS,
  );
  verdict(
    `connections at most ${most} (goal at most ${MOST_SOCKETS})`,
    most <= MOST_SOCKETS && most > 0,
  );
} finally {
  stub.kill();
  await tenure.stop();
}
