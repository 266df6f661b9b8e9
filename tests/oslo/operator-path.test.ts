import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execPath } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cleanEnvironment, root } from '../support/paths.js';
import { compiledPolicy } from './wasm.js';

const POLICY = `# Owners have their machines to themselves; who leases one only looks.
"baremetal:node:set_power_state": "role:member and rule:mine"
"baremetal:node:get": [["role:reader", "rule:mine"], ["role:reader", "project_id:%(node.lessee)s"]]
"mine": "project_id:%(node.owner)s"
`;

const NODE = { type: 'node', owner: 'p1', lessee: 'p2', tenancy_revision: 1 };

const question = (action: string, project: string): unknown => ({
  action,
  subject: {
    user_id: 'u1',
    project_id: project,
    system_scope: null,
    domain_id: null,
    roles: ['member', 'reader'],
  },
  resource: NODE,
  now: '2026-11-21T06:00:00Z',
});

describe('from policy.yaml to a decision', () => {
  let directory: string;
  const file = (name: string): string => path.join(directory, name);
  const tenure = (...args: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(execPath, ['cli/bin/tenure.js', 'policy', 'import-oslo', ...args], {
      cwd: root,
      encoding: 'utf8',
    });

  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'tenure-oslo-'));
    writeFileSync(file('policy.yaml'), POLICY);
  });

  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it('imports a file, says what it made, and makes the same again', () => {
    const first = tenure(file('policy.yaml'), '--out', file('overlay.rego'));
    expect(first.status).toBe(0);
    expect(first.stdout).toBe(`${file('overlay.rego')}: 2 actions, 1 helper rules\n`);
    expect(tenure(file('policy.yaml')).stdout).toBe(readFileSync(file('overlay.rego'), 'utf8'));
  });

  it('builds a bundle with it, which then decides', async () => {
    tenure(file('policy.yaml'), '--out', file('overlay.rego'));
    const built = spawnSync(path.join(root, 'scripts', 'policy', 'build.sh'), [], {
      cwd: root,
      encoding: 'utf8',
      env: { ...cleanEnvironment(), OVERLAY: file('overlay.rego'), OUT: file('bundle.tar.gz') },
    });
    expect({ status: built.status, stderr: built.stderr }).toEqual({ status: 0, stderr: '' });
    const ask = await compiledPolicy(file('bundle.tar.gz'));
    const decide = (action: string, project: string): unknown =>
      ask('tenure/authz/decision', question(action, project));
    const power = 'baremetal:node:set_power_state';
    expect(decide(power, 'p1')).toMatchObject({ allow: true, visible: true, grants: ['custom'] });
    expect(decide(power, 'p2')).toMatchObject({ allow: false, visible: true, denied: [power] });
    expect(decide(power, 'p3')).toMatchObject({ allow: false, visible: false });
    // what the file does not name is as it was
    expect(decide('baremetal:node:get_states', 'p2')).toMatchObject({ allow: true });
  });

  it('writes nothing of a file with an error, and says where it is', () => {
    writeFileSync(
      file('bad.yaml'),
      '"baremetal:node:get": "role:reader"\n\n"baremetal:node:delete": "http://example.test/"\n',
    );
    const run = tenure(file('bad.yaml'), '--out', file('bad.rego'), '--json');
    expect(run.status).toBe(2);
    expect(run.stderr).toContain(
      'bad.yaml, line 3, rule baremetal:node:delete: "http:" asks a remote server',
    );
    expect(JSON.parse(String(run.stdout))).toMatchObject({
      file: 'bad.yaml',
      errors: [{ line: 3, rule: 'baremetal:node:delete' }],
    });
    expect(existsSync(file('bad.rego'))).toBe(false);
  });
});
