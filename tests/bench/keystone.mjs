// Measures the cost of a Keystone token at a gateway: a cached one against a development token, and a new one.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Pool } from 'undici';
import { loadWithCpu, median, quantile, round, say, table } from './lib.mjs';

const { freePort, start, stopGroup } = await import('../support/processes.ts');
const { partPid, startTenure } = await import('../support/tenure.ts');
const { startGatewayReplica } = await import('../support/gateway-replica.ts');
const { startKeystone } = await import('../support/keystone.ts');
const { cleanEnvironment, root, runDirectory } = await import('../support/paths.ts');
const { eventually } = await import('../support/wait.ts');
const { availableNode } = await import('../support/fleet.ts');
const { inProject } = await import('../support/personas.ts');

const ROUNDS = 6;
const SECONDS = 2;
const TOKENS = 60;
const AT_ONCE = 8;

/** The bench is about tokens, not about the limits that keep callers from wearing a gateway or Keystone out. */
const WITHOUT_LIMITS = {
  GATEWAY_RATE_LIMIT: '1000000',
  GATEWAY_NEW_TOKENS: '1000000',
  GATEWAY_NEW_TOKENS_PER_ADDRESS: '1000000',
  TENURE_DEV_TOKENS: 'true',
};

const keystone = await startKeystone('fernet');
const project = await keystone.project('bench');
const user = await keystone.user('bench-reader', { project: { id: project } }, 'reader');
const tenure = await startTenure('bench-keystone', { ...keystone.settings, ...WITHOUT_LIMITS });

const node = availableNode('bench-node', { owner: project });
const get = (token) => ({
  method: 'GET',
  path: `/v1/nodes/${node.uuid}`,
  headers: { 'x-auth-token': token, 'x-openstack-ironic-api-version': '1.65' },
});
const ofTheNode = (status, text) => status === 200 && text.includes(node.uuid);

/** New tokens of a user, at most so many logins under way. */
async function logins(count) {
  const tokens = [];
  while (tokens.length < count)
    tokens.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - tokens.length) }, () =>
          keystone.login(user),
        ),
      )),
    );
  return tokens;
}

/** A text of the form of a Fernet token: version, time, initialization vector, one and more blocks, MAC. */
function fernetShaped() {
  const bytes = randomBytes(1 + 8 + 16 + 64 + 32);
  bytes[0] = 0x80;
  bytes.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000)), 1);
  return bytes.toString('base64url');
}

/** Sends one request for each of `inputs`, `connections` at a time. */
async function timed(origin, inputs, { request, isGood, connections }) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const waiting = [...inputs];
  const latencies = [];
  const worker = async () => {
    for (let input = waiting.shift(); input !== undefined; input = waiting.shift()) {
      const from = performance.now();
      const { statusCode, body } = await pool.request(request(input));
      const text = await body.text();
      latencies.push(performance.now() - from);
      if (!isGood(statusCode, text))
        throw new Error(`unexpected answer of ${origin}: ${statusCode} ${text.slice(0, 500)}`);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  const perSecond = inputs.length / ((performance.now() - began) / 1000);
  await pool.close();
  latencies.sort((a, b) => a - b);
  return { perSecond, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

async function compareCached() {
  const pid = await partPid(tenure, 'gateway');
  const sides = [
    { name: 'Keystone token, cached', token: await keystone.login(user), runs: [] },
    {
      name: 'development token',
      token: await tenure.token(inProject(project, 'reader')),
      runs: [],
    },
  ];
  const run = ({ token }, seconds) =>
    loadWithCpu(pid, tenure.url, { request: () => get(token), isGood: ofTheNode, seconds });
  for (const side of sides) await run(side, SECONDS);
  for (let number = 0; number < ROUNDS; number += 1)
    for (const side of sides) side.runs.push(await run(side, SECONDS));
  say(`GET of one node, one gateway, 32 connections, ${ROUNDS} times ${SECONDS} s, alternately.`);
  table(
    ['token', 'requests/s', 'gateway CPU µs per request', 'p50 ms', 'p99 ms'],
    sides.map(({ name, runs }) => [
      name,
      round(median(runs.map(({ perSecond }) => perSecond))),
      round(1e6 / median(runs.map(({ perCpuSecond }) => perCpuSecond))),
      round(median(runs.map(({ p50 }) => p50)), 2),
      round(median(runs.map(({ p99 }) => p99)), 2),
    ]),
  );
  const [cached, development] = sides.map(({ runs }) =>
    median(runs.map(({ perSecond }) => perSecond)),
  );
  say(
    `a cached Keystone token against a development token, requests/s: ${round((cached / development) * 100)} %\n`,
  );
}

/** One row: each token's first request one at a time, and others' first requests several at a time. */
async function coldRow(name, origin, newTokens, { request, isGood }) {
  const one = await timed(origin, await newTokens(TOKENS), { request, isGood, connections: 1 });
  const several = await timed(origin, await newTokens(TOKENS), {
    request,
    isGood,
    connections: AT_ONCE,
  });
  return [
    name,
    round(one.p50, 2),
    round(one.p99, 2),
    round(several.perSecond),
    round(several.p50, 2),
  ];
}

async function startStub() {
  const port = await freePort();
  const { pid } = start({
    command: process.execPath,
    args: [path.join(import.meta.dirname, 'keystone-stub.mjs'), String(port), project],
    env: cleanEnvironment(),
    cwd: root,
    logFile: path.join(runDirectory, 'bench-keystone-stub.log'),
  });
  const url = `http://127.0.0.1:${port}/v3`;
  await eventually(
    async () => (await fetch(url)).status,
    (status) => status === 200,
    { what: 'stub of Keystone' },
  );
  return { pid, url };
}

async function compareCold() {
  const stub = await startStub();
  const toStub = await startGatewayReplica(tenure, { ...WITHOUT_LIMITS, KEYSTONE_URL: stub.url });
  try {
    const shaped = (count) => Promise.resolve(Array.from({ length: count }, fernetShaped));
    const probe = { request: get, isGood: ofTheNode };
    const [warm] = await logins(1);
    const again = (count) => Promise.resolve(Array.from({ length: count }, () => warm));
    const direct = {
      request: (token) => ({
        method: 'GET',
        path: '/v3/auth/tokens?nocatalog',
        headers: { 'x-auth-token': warm, 'x-subject-token': token },
      }),
      isGood: (status, text) => status === 200 && text.includes(user.id),
    };
    // Once for the gateways' own logins, connections and compiled code.
    await timed(tenure.url, await logins(5), { ...probe, connections: 1 });
    await timed(toStub.url, await shaped(500), { ...probe, connections: AT_ONCE });
    say(
      `The first request with a token, ${TOKENS} tokens one at a time, then ${TOKENS} others ${AT_ONCE} at a time; no token is used twice.`,
    );
    table(
      ['answered by', 'p50 ms', 'p99 ms', `tokens/s, ${AT_ONCE} at a time`, 'p50 ms'],
      [
        await coldRow('gateway, real Keystone', tenure.url, logins, probe),
        await coldRow('Keystone itself, validating', new URL(keystone.url).origin, logins, direct),
        await coldRow('gateway, Keystone that answers at once', toStub.url, shaped, probe),
        await coldRow('gateway, cached token', tenure.url, again, probe),
      ],
    );
    say('');
  } finally {
    await toStub.stop();
    await stopGroup(stub.pid, 5000);
  }
}

try {
  await tenure.importDocument({ nodes: [node] });
  await compareCached();
  await compareCold();
} finally {
  await tenure.stop();
  await keystone.stop();
}
