import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { byTopic, memberOf } from '@tenure/policy';
import { buildBundle } from '@tenure/policy/testing';
import { runTenure } from '../testing/run-tenure.js';

let bundle: string;
beforeAll(() => {
  bundle = buildBundle('sane');
}, 30_000);

async function matrix(...args: readonly string[]): Promise<string> {
  const { stdout, error } = await runTenure('policy', 'matrix', '--bundle', bundle, ...args);
  expect(error).toBeUndefined();
  return stdout;
}

const lineOf = (text: string, action: string): string | undefined =>
  text.split(/\r?\n/u).find((line) => line.includes(action));

describe('tenure policy matrix', () => {
  it('shows every action for every caller as the policy answers it', async () => {
    const csv = await matrix('--format', 'csv', '--switch', 'open_access=false');
    // owner_reader of the sane policy asks for the project, whatever the role; es wants a switch that it has
    expect(lineOf(csv, 'baremetal:node:get')).toBe(
      'Nodes: reading,baremetal:node:get,A,.,.,.,.,.,.,A,A,A,A,A,.,.,.,.,.,A,.,.,A,.,.,.',
    );
  });

  it('follows switches and overlays', async () => {
    const open = await matrix('--format', 'csv', '--switch', 'open_access=on');
    expect(lineOf(open, 'baremetal:node:get')).toContain(
      'get,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,.',
    );
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'tenure-matrix-')), 'o.yaml');
    writeFileSync(file, 'baremetal:node:get: []\n');
    const shut = await matrix('--format', 'csv', '--overlay', file);
    expect(lineOf(shut, 'baremetal:node:get')).toMatch(/get(?:,\.){24}$/u);
  });

  it('writes a table, Markdown and HTML with a legend', async () => {
    const table = await matrix();
    expect(table).toContain('  sA  sys_admin\n');
    expect(table).toContain('  .  not visible (404)\n');
    expect(table).toContain('== Nodes: reading\naction');
    const markdown = await matrix('--format', 'markdown');
    expect(markdown).toContain('## Nodes: reading\n\n| action');
    expect(markdown).toContain('| `.`  | not visible (404)');
    const html = await matrix('--format', 'html');
    expect(html).toContain('<h2>Nodes: reading</h2>');
    expect(html).toContain('<td data-cell="A" title="sys_admin: allowed">A</td>');
    // One page for dark and light that fetches nothing.
    expect(html).toContain('color-scheme:light dark');
    expect(html).not.toMatch(/<script|<link|src=|url\(|@import/u);
  });

  it('writes one JSON document', async () => {
    const document: unknown = JSON.parse(await matrix('--json'));
    expect(document).toMatchObject({
      revision: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
      switches: { open_access: false },
      legend: { '.': 'not visible (404)' },
      actions: expect.arrayContaining([
        expect.objectContaining({
          action: 'baremetal:node:get',
          topic: 'Nodes: reading',
          cells: expect.objectContaining({ sA: 'A', sM: '.', or: 'A', '--': '.' }),
        }),
      ]),
    });
    const personas: unknown = memberOf(document, 'personas');
    expect(personas).toHaveLength(24);
  });

  it.each([
    ['a switch that the policy does not have', ['--switch', 'no_such=true'], 'no switch no_such'],
    ['a switch without a value', ['--switch', 'open_access'], 'say name=value'],
    ['a format that there is not', ['--format', 'pdf'], 'Allowed choices are'],
  ])('refuses %s', async (_what, args, message) => {
    const { error } = await runTenure('policy', 'matrix', '--bundle', bundle, ...args);
    expect(String(error)).toContain(message);
  });
});

describe('topics', () => {
  it('have every action once, in alphabetical order, the deploy agent’s apart', () => {
    expect(
      byTopic([
        'baremetal:node:ipa_heartbeat',
        'baremetal:node:update:name',
        'baremetal:node:update',
        'baremetal:something:new',
      ]),
    ).toEqual([
      { title: 'The deploy agent', actions: ['baremetal:node:ipa_heartbeat'] },
      {
        title: 'Nodes: writing fields',
        actions: ['baremetal:node:update', 'baremetal:node:update:name'],
      },
      { title: 'Others', actions: ['baremetal:something:new'] },
    ]);
  });
});
