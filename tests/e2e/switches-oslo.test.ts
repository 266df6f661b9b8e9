import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode } from '../support/fleet.js';
import { type Answer, askLatest } from '../support/http-client.js';
import { cleanEnvironment, root, runDirectory } from '../support/paths.js';
import { inProject, inSystem, newProject, type Persona } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';

// A lessee sees and switches its machine through users with a role of their own; the owner only reads it.
const POLICY = `
"mine": "project_id:%(node.owner)s"
"operates": "role:operator and project_id:%(node.lessee)s"
"baremetal:node:get": "role:reader and (rule:mine or rule:operates or system_scope:all)"
"baremetal:node:set_power_state": "rule:operates"
`;

const OWNER = newProject('oslo-owner');
const LESSEE = newProject('oslo-lessee');

const operatorL = inProject(LESSEE, 'operator', 'member', 'reader');
const memberL = inProject(LESSEE, 'admin', 'manager', 'member', 'reader');
const memberO = inProject(OWNER, 'member', 'reader');
const operatorO = inProject(OWNER, 'operator', 'reader');
const outsider = inProject(newProject('oslo-c'), 'operator', 'admin', 'reader');
const system = inSystem('admin', 'member', 'reader');

function bundleOf(policy: string): string {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, 'oslo-'));
  const file = (name: string): string => path.join(directory, name);
  writeFileSync(file('policy.yaml'), policy);
  const env = cleanEnvironment();
  const cli = path.join(root, 'cli', 'bin', 'tenure.js');
  const importing = ['policy', 'import-oslo', file('policy.yaml'), '--out', file('overlay.rego')];
  execFileSync(process.execPath, [cli, ...importing], { cwd: root, env });
  execFileSync(path.join(root, 'scripts', 'policy', 'build.sh'), [], {
    cwd: root,
    env: { ...env, OVERLAY: file('overlay.rego'), OUT: file('bundle.tar.gz') },
  });
  return file('bundle.tar.gz');
}

describe('an imported policy of oslo', () => {
  const leased = availableNode(newProject('oslo'), { owner: OWNER, lessee: LESSEE });
  const own = availableNode(newProject('oslo'), { owner: LESSEE });
  const foreign = availableNode(newProject('oslo'), { owner: newProject('oslo-d') });
  let tenure: Tenure;

  beforeAll(async () => {
    tenure = await startTenure('oslo', { PDP_BUNDLE: bundleOf(POLICY) });
    await tenure.importDocument({ nodes: [leased, own, foreign] });
  });

  afterAll(() => tenure.stop());

  const power = async (who: Persona): Promise<number> => {
    const line = `PUT /v1/nodes/${leased.uuid}/states/power`;
    return (await askLatest(tenure, who, line, { target: 'power off' })).status;
  };

  it('lets in whom it names', async () => {
    expect(await power(operatorL)).toBe(202);
  });

  it('refuses everybody else who sees the node, and is no node to the rest', async () => {
    expect(await power(memberO)).toBe(403);
    expect(await power(operatorO)).toBe(403);
    expect(await power(system)).toBe(403);
    expect(await power(memberL)).toBe(404);
    expect(await power(outsider)).toBe(404);
  });

  const listed = async (who: Persona): Promise<readonly unknown[]> => {
    const answer: Answer = await askLatest(tenure, who, 'GET /v1/nodes?fields=uuid');
    const { nodes } = answer.json as { nodes: readonly { uuid: string }[] }; // what a list answers
    return [answer.headers['x-tenure-policy-filter'], nodes.map(({ uuid }) => uuid).toSorted()];
  };

  it('decides what is listed', async () => {
    expect(await listed(operatorL)).toEqual(['owner,lessee', [leased.uuid, own.uuid].toSorted()]);
    expect(await listed(memberL)).toEqual(['owner', [own.uuid]]);
    expect(await listed(memberO)).toEqual(['owner', [leased.uuid]]);
    expect(await listed(outsider)).toEqual(['owner,lessee', []]);
    expect(await listed(system)).toEqual(['all', [leased.uuid, own.uuid, foreign.uuid].toSorted()]);
  });

  it('leaves alone what it does not name', async () => {
    const line = `PUT /v1/nodes/${leased.uuid}/maintenance`;
    expect((await askLatest(tenure, memberO, line, {})).status).toBe(202);
    expect((await askLatest(tenure, operatorL, line, {})).status).toBe(403);
  });
});
