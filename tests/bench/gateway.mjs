// GET of a node through the gateway against a bare proxy, same upstream, turn about.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadWithCpu, median, round, say, table, verdict } from './lib.mjs';

const { freePort, start, stopGroup } = await import('../support/processes.ts');
const { partPid, startTenure } = await import('../support/tenure.ts');
const { cleanEnvironment, root, runDirectory } = await import('../support/paths.ts');
const { eventually } = await import('../support/wait.ts');
const { availableNode } = await import('../support/fleet.ts');
const { inProject } = await import('../support/personas.ts');
const { ask } = await import('../support/http-client.ts');

const ROUNDS = 3;
const here = import.meta.dirname;
const started = [];
const run = (name, args, env = cleanEnvironment()) => {
  const one = start({
    command: process.execPath,
    args,
    env,
    cwd: root,
    logFile: path.join(runDirectory, `bench-${name}.log`),
  });
  started.push(one.pid);
  return one;
};

/** The gateway of `tenure` once more, on another port, with another inventory. */
async function gatewayTo(tenure, inventoryUrl) {
  const pid = await partPid(tenure, 'gateway');
  const settings = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .filter((line) => line.includes('='));
  const env = Object.fromEntries(
    settings.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .filter((word) => word !== '')
    .slice(1);
  const [port, adminPort] = [await freePort(), await freePort()];
  const one = run('gateway', args, {
    ...env,
    GATEWAY_PORT: String(port),
    GATEWAY_ADMIN_PORT: String(adminPort),
    INVENTORY_URL: inventoryUrl,
  });
  await eventually(
    async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status,
    (status) => status === 200,
    { what: 'second gateway' },
  );
  return { pid: one.pid, origin: `http://127.0.0.1:${port}` };
}

// The goal is about the gateway, not about its rate limit for one caller.
const tenure = await startTenure('bench-gateway', {
  GATEWAY_RATE_LIMIT: '1000000',
  RATE_LIMIT_PER_SECOND: '1000000',
});
try {
  const owner = inProject('bench', 'reader');
  const node = availableNode('bench-node', { owner: 'bench' });
  await tenure.importDocument({ nodes: [node] });
  const target = `/v1/nodes/${node.uuid}`;
  const recorded = await ask(tenure, owner, `GET ${target}`);
  const file = path.join(runDirectory, 'bench-node.json');
  writeFileSync(file, recorded.text);

  const [upstreamPort, proxyPort] = [await freePort(), await freePort()];
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  run('upstream', [
    path.join(here, 'upstream.mjs'),
    String(upstreamPort),
    `http://127.0.0.1:${tenure.ports.inventory}`,
    file,
  ]);
  const proxy = run('proxy', [path.join(here, 'bare-proxy.mjs'), String(proxyPort), upstream]);
  await eventually(
    async () => (await fetch(upstream)).status,
    (status) => status === 200,
    { what: 'upstream' },
  );
  await eventually(
    async () => (await fetch(`http://127.0.0.1:${proxyPort}/`)).status,
    (status) => status === 200,
    { what: 'proxy' },
  );
  const gateway = await gatewayTo(tenure, upstream);

  const token = await tenure.token(owner);
  const request = () => ({
    method: 'GET',
    path: target,
    headers: { 'x-auth-token': token, 'x-openstack-ironic-api-version': '1.65' },
  });
  const isGood = (status, text) => status === 200 && text === recorded.text;
  const sides = [
    { name: 'gateway', ...gateway, runs: [] },
    { name: 'bare proxy', pid: proxy.pid, origin: `http://127.0.0.1:${proxyPort}`, runs: [] },
  ];
  for (const { pid, origin } of sides)
    await loadWithCpu(pid, origin, { request, isGood, seconds: 2 });
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const side of sides)
      side.runs.push(await loadWithCpu(side.pid, side.origin, { request, isGood, seconds: 4 }));
  }
  say(
    `GET of one node (${recorded.text.length} bytes), 32 connections. Both proxies have the same upstream, which answers a recorded node;`,
  );
  say(
    'the gateway verifies the token, loads tenancy from the real inventory (or its cache), asks the real PDP (or its cache), and signs the context.',
  );
  const rate = (side) => median(side.runs.map(({ perSecond }) => perSecond));
  const perCpu = (side) => median(side.runs.map(({ perCpuSecond }) => perCpuSecond));
  table(
    ['proxy', 'requests/s', 'requests per CPU second', 'CPU µs per request', 'p50 ms', 'p99 ms'],
    sides.map((side) => [
      side.name,
      round(rate(side)),
      round(perCpu(side)),
      round(1e6 / perCpu(side)),
      round(median(side.runs.map(({ p50 }) => p50)), 2),
      round(median(side.runs.map(({ p99 }) => p99)), 2),
    ]),
  );
  const ratio = rate(sides[0]) / rate(sides[1]);
  verdict(
    `gateway against bare proxy, requests/s: ${round(ratio * 100)} % (goal at least 50 %)`,
    ratio >= 0.5,
  );
} finally {
  for (const pid of started) await stopGroup(pid, 5000);
  await tenure.stop();
}
