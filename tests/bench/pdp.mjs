// Decisions per CPU second: the PDP against OPA's own server, same bundle, same question, alternately.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { loadWithCpu, median, round, say, table, verdict } from './lib.mjs';

const { freePort, start, stopGroup } = await import('../support/processes.ts');
const { partPid, startTenure } = await import('../support/tenure.ts');
const { cleanEnvironment, root, runDirectory } = await import('../support/paths.ts');
const { eventually } = await import('../support/wait.ts');

const ROUNDS = 3;
const decisionPath = '/v1/data/tenure/authz/decision';
const question = {
  action: 'baremetal:node:get',
  subject: {
    user_id: 'u',
    project_id: 'project-a',
    system_scope: null,
    domain_id: null,
    roles: ['member'],
  },
  resource: { type: 'node', owner: 'project-a', lessee: null, tenancy_revision: 7 },
  fields: [],
  now: '2026-11-21T06:00:00Z',
};

const request = () => ({
  method: 'POST',
  path: decisionPath,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ input: question }),
});
const isGood = (status, text) => status === 200 && text.includes('"allow":true');

const tenure = await startTenure('bench-pdp');
const opaPort = await freePort();
// OPA as it is distributed does not run WASM: it gets the same policy as Rego.
const opaBundle = path.join(runDirectory, 'bench-opa-bundle.tar.gz');
execFileSync('opa', ['build', '-b', 'policies-rego', '--ignore', '*_test.rego', '-o', opaBundle], {
  cwd: root,
  stdio: 'inherit',
});
const opa = start({
  command: 'opa',
  args: [
    'run',
    '--server',
    '--addr',
    `127.0.0.1:${opaPort}`,
    '--log-level',
    'error',
    '--bundle',
    opaBundle,
  ],
  env: { ...cleanEnvironment(), HOME: runDirectory },
  cwd: root,
  logFile: path.join(runDirectory, 'bench-opa.log'),
});
try {
  const opaOrigin = `http://127.0.0.1:${opaPort}`;
  await eventually(
    async () => (await fetch(`${opaOrigin}/health`)).status,
    (status) => status === 200,
    { what: 'OPA' },
  );
  const pdpOrigin = `http://127.0.0.1:${tenure.ports.pdp}`;
  const pdpPid = await partPid(tenure, 'pdp');
  const sides = [
    { name: 'Tenure PDP', pid: pdpPid, origin: pdpOrigin, runs: [] },
    { name: 'opa run --server', pid: opa.pid, origin: opaOrigin, runs: [] },
  ];
  for (const { pid, origin } of sides)
    await loadWithCpu(pid, origin, { request, isGood, seconds: 2 });
  for (let round_ = 0; round_ < ROUNDS; round_ += 1) {
    for (const side of sides)
      side.runs.push(await loadWithCpu(side.pid, side.origin, { request, isGood, seconds: 4 }));
  }
  say(
    'Decisions: POST of one question (a member reads an own node), 32 connections, the same policy on both sides (WASM in the PDP, Rego in OPA).',
  );
  say('The PDP writes its decision log as it does in `make up`; OPA writes none.');
  const per = (side) => median(side.runs.map(({ perCpuSecond }) => perCpuSecond));
  table(
    ['server', 'requests/s', 'requests per CPU second', 'CPU µs per request', 'p50 ms', 'p99 ms'],
    sides.map((side) => [
      side.name,
      round(median(side.runs.map(({ perSecond }) => perSecond))),
      round(per(side)),
      round(1e6 / per(side)),
      round(median(side.runs.map(({ p50 }) => p50)), 2),
      round(median(side.runs.map(({ p99 }) => p99)), 2),
    ]),
  );
  const ratio = per(sides[0]) / per(sides[1]);
  verdict(
    `PDP against OPA, requests per CPU second: ${round(ratio, 1)}x (goal at least 4x)`,
    ratio >= 4,
  );
} finally {
  await stopGroup(opa.pid, 3000);
  await tenure.stop();
}
