import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, imported } from '../support/fleet.js';
import { root } from '../support/paths.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// Needs what unit tests do not have: the built command line with its threads, and an inventory to look nodes up in.

const run = promisify(execFile);
const POWER = 'baremetal:node:set_power_state';

let tenure: Tenure;
beforeAll(async () => {
  tenure = await sharedTenure();
});

interface Outcome {
  readonly status: number;
  readonly document: unknown;
}

async function policy(...args: readonly string[]): Promise<Outcome> {
  const script = path.join(root, 'cli', 'bin', 'tenure.js');
  const env = { ...process.env, ...tenure.env };
  try {
    const { stdout } = await run(process.execPath, [script, 'policy', ...args, '--json'], {
      cwd: root,
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { status: 0, document: JSON.parse(stdout) };
  } catch (error) {
    const { code, stdout } = error as { readonly code: number; readonly stdout: string }; // of execFile
    return { status: code, document: JSON.parse(stdout) };
  }
}

describe('tenure policy, beside running services', () => {
  it('knows a node by its name, and who owns and leases it', async () => {
    const node = availableNode('policy-commands', { owner: 'p-a', lessee: 'p-b' });
    await imported(tenure, node);
    const allowed = await policy('can', POWER, '--as', 'own_member', '--on', node.name);
    expect(allowed).toMatchObject({
      status: 0,
      document: { allow: true, question: { subject: { project_id: 'p-a' } } },
    });
    const denied = await policy('can', POWER, '--as', 'les_reader', '--on', node.uuid);
    expect(denied).toMatchObject({
      status: 1,
      document: {
        allow: false,
        question: { subject: { project_id: 'p-b' } },
        nearest_misses: [
          { grant: 'lessee_member', missing: [{ fact: 'role', has: ['reader'], needs: 'member' }] },
          ...Array<unknown>(4).fill(expect.anything()),
        ],
      },
    });
    const who = await policy('who-can', POWER, node.name);
    expect(who).toMatchObject({
      status: 0,
      document: {
        callers: expect.arrayContaining([
          expect.objectContaining({ who: 'the project that leases it', project: 'p-b' }),
        ]),
      },
    });
  });

  it('compares policies with several threads as with one', async () => {
    const overlay = path.join(mkdtempSync(path.join(tmpdir(), 'tenure-policy-')), 'o.yaml');
    writeFileSync(overlay, `${POWER}: [system_member, nova_service, owner_member]\n`);
    const bundle = path.join('policies-rego', 'bundle.tar.gz');
    const diff = (jobs: string): Promise<Outcome> =>
      policy(
        ...['diff', bundle, bundle, '--new-overlay', overlay],
        ...['--action', POWER, '--jobs', jobs],
      );
    const [one, two] = [await diff('1'), await diff('2')];
    expect(one).toMatchObject({ status: 1, document: { gained: [] } });
    expect(two).toEqual(one);
  });
});
