// A list of 100 own nodes in a fleet of 1,000 and in one of 100,000 (embedded store), alternately.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { median, quantile, round, say, table, verdict } from './lib.mjs';

const { startTenure } = await import('../support/tenure.ts');
const { availableNode } = await import('../support/fleet.ts');
const { inProject } = await import('../support/personas.ts');
const { ask } = await import('../support/http-client.ts');
const { root } = await import('../support/paths.ts');
const { openSqliteStore } = await import(
  path.join(root, 'services', 'inventory', 'dist', 'adapters', 'stores-sqlite.js')
);

const OWN = 100;
const REQUESTS = 100;
const ROUNDS = 4;
const BATCH = 10_000;
const sizes = [1000, Number(process.env['TENURE_BENCH_NODES'] ?? 100_000)];
const owner = inProject('bench', 'reader');

/** A fleet of `size` nodes, `OWN` of them ours, spread evenly among the others. */
async function fleetOf(size) {
  const tenure = await startTenure(`bench-list-${size}`);
  const every = size / OWN;
  const node = (number) =>
    availableNode(`bench-${number}`, {
      owner: number % every === 0 ? 'bench' : `other-${number % 50}`,
      properties: { cpus: 64, memory_mb: 524_288, local_gb: 3840, cpu_arch: 'x86_64' },
      driver_info: { address: `bmc-${number}.example` },
    });
  const began = performance.now();
  for (let from = 0; from < size; from += BATCH) {
    const nodes = Array.from({ length: Math.min(BATCH, size - from) }, (_, n) => node(from + n));
    const file = path.join(tenure.dataDir, 'bench-import.json');
    writeFileSync(file, JSON.stringify({ nodes }));
    await tenure.cli('import', file);
  }
  say(`imported ${size} nodes in ${round((performance.now() - began) / 1000, 1)} s`);
  const { stores: store } = openSqliteStore(path.join(tenure.dataDir, 'inventory.sqlite'));
  return { size, tenure, store, latencies: [], storeLatencies: [] };
}

async function measure({ tenure, latencies }, requests) {
  for (let n = 0; n < requests; n += 1) {
    const from = performance.now();
    const { status, json, text } = await ask(tenure, owner, `GET /v1/nodes?limit=${OWN}`);
    latencies.push(performance.now() - from);
    if (status !== 200 || json.nodes.length !== OWN) {
      throw new Error(`unexpected list: ${status} ${text.slice(0, 300)}`);
    }
  }
}

/** The same list queried from the embedded store itself, through a connection of our own to the same file. */
async function measureStore({ store, storeLatencies }, requests) {
  const query = {
    anyOf: [
      { field: 'owner', value: 'bench' },
      { field: 'lessee', value: 'bench' },
    ],
    where: [],
    order: { field: null, descending: false },
    after: null,
    limit: OWN,
  };
  for (let n = 0; n < requests; n += 1) {
    const from = performance.now();
    const rows = await store.nodes.list(query);
    storeLatencies.push(performance.now() - from);
    if (rows.length !== OWN) throw new Error(`the store found ${rows.length} nodes`);
  }
}

const residentMegabytes = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const p99 = (numbers) =>
  quantile(
    numbers.toSorted((a, b) => a - b),
    0.99,
  );

const fleets = [];
try {
  for (const size of sizes) fleets.push(await fleetOf(size));
  for (const fleet of fleets) {
    await measure(fleet, 50);
    await measureStore(fleet, 50);
    fleet.latencies.length = 0;
    fleet.storeLatencies.length = 0;
  }
  for (let run = 0; run < ROUNDS; run += 1) {
    for (const fleet of fleets) await measure(fleet, REQUESTS);
    for (const fleet of fleets) await measureStore(fleet, REQUESTS);
  }
  say(
    `GET /v1/nodes?limit=${OWN} by the owner of ${OWN} nodes, one at a time, ${ROUNDS * REQUESTS} per fleet, alternately; embedded store.`,
  );
  table(
    ['fleet', 'p50 ms (gateway)', 'p99 ms (gateway)', 'p50 ms (store)', 'inventory MB'],
    fleets.map(({ size, tenure, latencies, storeLatencies }) => [
      size,
      round(median(latencies), 2),
      round(p99(latencies), 2),
      round(median(storeLatencies), 3),
      round(residentMegabytes(tenure.pidOf('inventory'))),
    ]),
  );
  const [small, large] = fleets;
  const ratio = median(large.latencies) / median(small.latencies);
  verdict(
    `list of ${OWN} own nodes, ${large.size} against ${small.size} nodes, through the gateway: ${round(ratio, 2)}x (goal at most 1.3x)`,
    ratio <= 1.3,
  );
  const storeRatio = median(large.storeLatencies) / median(small.storeLatencies);
  verdict(`the same at the store: ${round(storeRatio, 2)}x (goal at most 1.3x)`, storeRatio <= 1.3);
} finally {
  for (const { tenure, store } of fleets) {
    await store.close();
    await tenure.stop();
  }
}
