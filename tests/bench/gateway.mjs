// GET of a node through the gateway against a bare proxy, same upstream, alternately.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadWithCpu, median, round, say, table, verdict } from './lib.mjs';

const { freePort, start, stopGroup } = await import('../support/processes.ts');
const { partPid, startTenure } = await import('../support/tenure.ts');
const { cleanEnvironment, root, runDirectory } = await import('../support/paths.ts');
const { eventually } = await import('../support/wait.ts');
const { availableNode } = await import('../support/fleet.ts');
const { inProject } = await import('../support/personas.ts');
const { ask } = await import('../support/http-client.ts');
const { claimsOf, contextKey, sign } = await import('../support/signed-context.ts');

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

/** Measures both proxies alternately, and prints them side by side. */
async function compare(sides, options) {
  for (const { pid, origin } of sides) await loadWithCpu(pid, origin, { ...options, seconds: 2 });
  for (let run = 0; run < ROUNDS; run += 1)
    for (const side of sides)
      side.runs.push(await loadWithCpu(side.pid, side.origin, { ...options, seconds: 4 }));
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
  return rate(sides[0]) / rate(sides[1]);
}

/** Keeps a file with the header that the inventory demands: a context is good for seconds, and for this one request. */
function keepContext(tenure, node, target, file) {
  const key = contextKey(tenure, 'gateway', 'inventory');
  const write = () => {
    const claims = {
      ...claimsOf({ caller: 'gateway', audience: 'inventory', method: 'GET', target }),
      action: 'baremetal:node:get',
      resources: [{ type: 'node', uuid: node.uuid, tenancy_revision: node.tenancyRevision }],
    };
    writeFileSync(`${file}.new`, JSON.stringify({ 'x-tenure-context': sign(claims, key) }));
    renameSync(`${file}.new`, file);
  };
  write();
  const timer = setInterval(write, 1000);
  return () => clearInterval(timer);
}

/** The tenancy revision of a node, from the inventory itself. */
async function tenancyRevisionOf(tenure, uuid) {
  const target = `/internal/tenancy/nodes/${uuid}`;
  const claims = claimsOf({ caller: 'gateway', audience: 'inventory', method: 'GET', target });
  const headers = { 'x-tenure-context': sign(claims, contextKey(tenure, 'gateway', 'inventory')) };
  const response = await fetch(`http://127.0.0.1:${tenure.ports.inventory}${target}`, { headers });
  return (await response.json()).tenancy_revision;
}

const startProxy = async (name, ...args) => {
  const port = await freePort();
  const one = run(name, [path.join(here, 'bare-proxy.mjs'), String(port), ...args]);
  const origin = `http://127.0.0.1:${port}`;
  await eventually(
    async () => (await fetch(origin)).status,
    (status) => status > 0,
    { what: name },
  );
  return { name: 'bare proxy', pid: one.pid, origin, runs: [] };
};

// The goal is about the gateway, not about its rate limit for one caller.
const tenure = await startTenure('bench-gateway', { GATEWAY_RATE_LIMIT: '1000000' });
let stopContext = () => undefined;
try {
  const owner = inProject('bench', 'reader');
  const node = availableNode('bench-node', { owner: 'bench' });
  await tenure.importDocument({ nodes: [node] });
  const target = `/v1/nodes/${node.uuid}`;
  const recorded = await ask(tenure, owner, `GET ${target}`);
  const token = await tenure.token(owner);
  const request = () => ({
    method: 'GET',
    path: target,
    headers: { 'x-auth-token': token, 'x-openstack-ironic-api-version': '1.65' },
  });
  const ofTheNode = (status, text) => status === 200 && text.includes(node.uuid);

  const tenancyRevision = await tenancyRevisionOf(tenure, node.uuid);
  const contextFile = path.join(runDirectory, 'bench-context.json');
  stopContext = keepContext(tenure, { uuid: node.uuid, tenancyRevision }, target, contextFile);
  const inventory = `http://127.0.0.1:${tenure.ports.inventory}`;
  say(
    `GET of one node (${recorded.text.length} bytes), 32 connections, upstream: the inventory service itself, for both proxies.`,
  );
  say(
    'The bare proxy carries a context that something else signs once a second; the gateway verifies the token, loads tenancy (or has it cached),',
  );
  say('asks the PDP for every request, signs a context for every request, and logs it.');
  const real = await compare(
    [
      { name: 'gateway', pid: await partPid(tenure, 'gateway'), origin: tenure.url, runs: [] },
      await startProxy('proxy-inventory', inventory, contextFile),
    ],
    { request, isGood: ofTheNode },
  );
  verdict(
    `gateway against bare proxy, same inventory, requests/s: ${round(real * 100)} % (goal at least 50 %)`,
    real >= 0.5,
  );

  const file = path.join(runDirectory, 'bench-node.json');
  writeFileSync(file, recorded.text);
  const upstreamPort = await freePort();
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  run('upstream', [path.join(here, 'upstream.mjs'), String(upstreamPort), inventory, file]);
  await eventually(
    async () => (await fetch(upstream)).status,
    (status) => status === 200,
    { what: 'upstream' },
  );
  say('The same with an upstream that costs nothing: it answers a recorded node. The worst case.');
  const worst = await compare(
    [
      { name: 'gateway', ...(await gatewayTo(tenure, upstream)), runs: [] },
      await startProxy('proxy-recorded', upstream),
    ],
    { request, isGood: (status, text) => status === 200 && text === recorded.text },
  );
  verdict(
    `gateway against bare proxy, free upstream, requests/s: ${round(worst * 100)} % (goal at least 50 %)`,
    worst >= 0.5,
  );
} finally {
  stopContext();
  for (const pid of started) await stopGroup(pid, 5000);
  await tenure.stop();
}
