import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode } from '../support/fleet.js';
import { runDirectory } from '../support/paths.js';
import { newProject } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// The commands that other suites replace by function calls: tokens and documents as an operator makes and loads them.

const project = newProject('command-line');
const node = availableNode(`${project}-node`, { owner: project, extra: { rack: 1 } });

let tenure: Tenure;
beforeAll(async () => {
  tenure = await sharedTenure();
});

const statusWith = async (token: string, target: string): Promise<number> =>
  (await fetch(tenure.url + target, { headers: { 'X-Auth-Token': token } })).status;

describe('tenure token', () => {
  it.each([
    ['in the project of the owner', ['--project', project, '--role', 'reader'], 200],
    ['in another project', ['--project', newProject('other'), '--role', 'admin'], 404],
    ['in the whole system', ['--system', 'all', '--role', 'reader'], 200],
    ['without a scope', ['--unscoped', '--role', 'admin'], 404],
    ['in a domain', ['--domain', 'default', '--role', 'admin'], 404],
  ])('prints one token, which is taken for what it says: %s', async (_, args, status) => {
    await tenure.importDocument({ nodes: [node] });
    const printed = await tenure.cli('token', '--user', 'olga', ...args);
    expect(printed).toMatch(/^\S+\n$/u);
    expect(await statusWith(printed.trim(), `/v1/nodes/${node.uuid}`)).toBe(status);
  });
});

describe('tenure import and tenure export', () => {
  const directory = (): string => mkdtempSync(path.join(runDirectory, 'command-line-'));

  it('load a document while the services run, replace what has the same uuid, and give it back', async () => {
    const file = path.join(directory(), 'inventory.json');
    for (const rack of [2, 3]) {
      writeFileSync(file, JSON.stringify({ nodes: [{ ...node, extra: { rack } }] }));
      await tenure.cli('import', file);
    }
    const out = path.join(directory(), 'export.json');
    await tenure.cli('export', '--out', out);
    const { nodes } = JSON.parse(readFileSync(out, 'utf8')) as {
      nodes: readonly { uuid: string; extra: unknown }[];
    };
    expect(nodes.filter(({ uuid }) => uuid === node.uuid)).toEqual([
      expect.objectContaining({ ...node, extra: { rack: 3 } }),
    ]);
  });

  it('say what is wrong with a document', async () => {
    const file = path.join(directory(), 'inventory.json');
    writeFileSync(file, '{"noodles": []}');
    await expect(tenure.cli('import', file)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown section "noodles"'),
    });
  });
});
