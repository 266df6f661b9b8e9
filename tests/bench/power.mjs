// Power polls of many simulated BMCs: the conductor's redfish driver against python sushy, the same stub, TLS and
// authentication, connections already open, one after the other.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { round, table, verdict } from './lib.mjs';

const { certificates, root, runDirectory, venvBin } = await import('../support/paths.ts');
const built = (...names) => path.join(root, 'services', 'conductor', 'dist', ...names);
const { createRedfishDriver } = await import(built('adapters', 'hardware-driver-redfish.js'));
const { createBmcDirectory } = await import(built('adapters', 'redfish', 'bmc-directory.js'));
const { BMC_LIMITS } = await import(built('adapters', 'redfish', 'bmc-transport.js'));
const { createLimiter, deadlineIn } = await import(
  path.join(root, 'shared', 'process', 'dist', 'index.js')
);

const BMCS = Number(process.env['TENURE_BENCH_BMCS'] ?? 500);
const OUR_ROUNDS = 5;
const THEIR_ROUNDS = 1;
const GOAL = 10;
const username = 'operator';
const password = randomUUID();

async function startStub() {
  const script = path.join(import.meta.dirname, 'redfish-stub.mjs');
  const args = [script, certificates.certificate, certificates.key, `${username}:${password}`];
  const stub = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await once(stub.stdout, 'data');
  return { stub, port: Number(printed) };
}

const addressOf = (number, port) =>
  `https://127.78.${Math.floor(number / 250)}.${(number % 250) + 1}:${port}`;

async function ours(addresses, workers) {
  const directory = createBmcDirectory({
    limits: BMC_LIMITS,
    observe: () => undefined,
    caDirectory: '/no/such/directory',
    guard: () => true,
  });
  const driver = createRedfishDriver({ directory });
  const nodes = addresses.map((address) => ({
    uuid: randomUUID(),
    driver: 'redfish',
    driver_internal_info: {},
    driver_info: {
      redfish_address: address,
      redfish_system_id: '/redfish/v1/Systems/1',
      redfish_username: username,
      redfish_password: password,
      redfish_verify_ca: false,
      redfish_auth_type: 'basic',
    },
  }));
  const pollAll = async () => {
    const limiter = createLimiter({ atOnce: workers });
    await Promise.all(
      nodes.map((node) =>
        limiter.run(async () => {
          const state = await driver.getPowerState(node, deadlineIn(10_000));
          if (state !== 'power on') throw new Error(`a BMC is ${state}`);
        }),
      ),
    );
  };
  await pollAll();
  const began = performance.now();
  for (let run = 0; run < OUR_ROUNDS; run += 1) await pollAll();
  const seconds = (performance.now() - began) / 1000;
  await directory.close();
  return { name: 'conductor, redfish driver', workers, polls: BMCS * OUR_ROUNDS, seconds };
}

function theirs(file, threads) {
  const script = path.join(import.meta.dirname, 'sushy_polls.py');
  const args = [script, file, username, password, String(threads), String(THEIR_ROUNDS)];
  const printed = execFileSync(path.join(venvBin, 'python'), args, { encoding: 'utf8' });
  return { name: 'python sushy', workers: threads, ...JSON.parse(printed) };
}

const { stub, port } = await startStub();
try {
  const addresses = Array.from({ length: BMCS }, (_, number) => addressOf(number, port));
  mkdirSync(runDirectory, { recursive: true });
  const file = path.join(mkdtempSync(path.join(runDirectory, 'bench-power-')), 'addresses');
  writeFileSync(file, addresses.join('\n'));
  const runs = [
    theirs(file, 8),
    await ours(addresses, 8),
    theirs(file, 32),
    await ours(addresses, 32),
  ].map((run) => ({ ...run, rate: run.polls / run.seconds }));
  table(
    ['power polls', 'at a time', 'BMCs', 'polls/s'],
    runs.map(({ name, workers, rate }) => [name, workers, BMCS, round(rate)]),
  );
  const best = (wanted) =>
    Math.max(...runs.filter(({ name }) => name === wanted).map(({ rate }) => rate));
  const ratio = best('conductor, redfish driver') / best('python sushy');
  verdict(
    `power polls/s of ${BMCS} BMCs, conductor against python sushy, the best of each: ${round(ratio, 1)}x (goal at least ${GOAL}x)`,
    ratio >= GOAL,
  );
} finally {
  stub.kill();
}
