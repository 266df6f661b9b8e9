import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { memberOf } from '@tenure/policy';
import { buildBundle, buildRego } from '@tenure/policy/testing';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { productBundle } from '../testing/product-bundle.js';
import { type Run, runTenure } from '../testing/run-tenure.js';
import { ROLE_SETS, rolesText } from './callers.js';
import { gapOf } from './gaps.js';

const directory = mkdtempSync(path.join(tmpdir(), 'tenure-diff-'));
function overlay(name: string, text: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, text);
  return file;
}

let product: string;
let sane: string;
beforeAll(() => {
  product = productBundle();
  sane = buildBundle('sane');
}, 30_000);

// Threads need compiled files.
const diff = (...args: readonly string[]): Promise<Run> =>
  runTenure('policy', 'diff', '--jobs', '1', ...args);

const document = ({ stdout }: Run): unknown => JSON.parse(stdout);
function partOf(run: Run, name: string): readonly unknown[] {
  const part = memberOf(document(run), name);
  return Array.isArray(part) ? part : [];
}

const POWER = 'baremetal:node:set_power_state';

describe('tenure policy diff', () => {
  it('finds no difference between two policies that state the same rules differently, over everything that may differ', async () => {
    const file = overlay('twice.yaml', 'baremetal:node:list: [system_admin, system_admin]\n');
    const run = await diff(sane, sane, '--new-overlay', file, '--json');
    expect(run.error).toBeUndefined();
    expect(document(run)).toMatchObject({
      same: true,
      complete: true,
      gained: [],
      lost: [],
      other: [],
      switch_defaults: [],
      // 8 scopes, 16 sets of roles, the action whose row is another, 8 combinations; the sane policy has no resource types
      questions: 1280,
      model: { questions: 1280, actions: 1, switch_combinations: 8 },
    });
  });

  it('needs no question to compare a policy with itself', async () => {
    const run = await diff(product, product, '--json');
    expect(run.error).toBeUndefined();
    expect(document(run)).toMatchObject({ same: true, complete: true, questions: 0 });
  });

  it('names who loses by an overlay, and nobody else', async () => {
    const file = overlay('power.yaml', `${POWER}: [system_member, nova_service, owner_member]\n`);
    const run = await diff(
      ...[product, product, '--new-overlay', file, '--json'],
      ...['--own-switches', '--action', POWER, 'baremetal:node:get'],
    );
    expect(run.error).toEqual(new ExitStatus(1));
    expect(partOf(run, 'gained')).toEqual([]);
    expect(partOf(run, 'lost')).toEqual([
      expect.objectContaining({
        action: POWER,
        change: 'refused',
        scopes: [
          'project',
          'service project',
          'namesake in another domain',
          'namesake by id',
          'project of the old rules',
        ],
        roles: [
          ['member'],
          ['manager'],
          ['admin'],
          ['member', 'service'],
          ['manager', 'service'],
          ['admin', 'service'],
          ['member', 'baremetal_admin'],
        ],
        relations: ['another owns, it leases', 'nobody owns, it leases'],
        types: ['node'],
        grants: ['lessee_member'],
        // 5 scopes, 7 sets of roles, 2 relations
        questions: 70,
      }),
    ]);
    // A project that both owns and leases is now allowed by one grant less.
    expect(partOf(run, 'other')).toMatchObject([
      { relations: ['it owns, it leases'], grants: ['owner_member'], questions: 35 },
    ]);
    expect(document(run)).toMatchObject({
      complete: false,
      incomplete_because: [
        'only some actions were compared',
        'only the switches of the new bundle were tried',
      ],
    });
  }, 30_000);

  it('says under which switches somebody gains', async () => {
    const file = overlay('delete.yaml', 'baremetal:node:delete:self_owned_node: [owner_member]\n');
    const run = await diff(
      ...[product, product, '--new-overlay', file, '--json'],
      ...['--action', 'baremetal:node:delete:self_owned_node'],
    );
    expect(partOf(run, 'lost')).toEqual([]);
    expect(partOf(run, 'gained')).toMatchObject([
      {
        change: 'allowed',
        roles: [
          ['member'],
          ['manager'],
          ['member', 'service'],
          ['manager', 'service'],
          ['member', 'baremetal_admin'],
        ],
        switches: [{ project_admin_can_manage_own_nodes: true }],
      },
    ]);
  }, 30_000);

  it('reports fields and rows', async () => {
    const file = overlay(
      'see.yaml',
      'baremetal:node:get:driver_info: [system_reader]\nbaremetal:node:list: [project_member]\n',
    );
    const run = await diff(
      ...[product, product, '--new-overlay', file, '--own-switches', '--format', 'markdown'],
      ...['--action', 'baremetal:node:get', 'baremetal:node:list'],
    );
    expect(run.stdout).toMatch(
      /\| `baremetal:node:get` \| fields masked \|.*\| reader or service and up \| .*owns.*\| driver_info \|/u,
    );
    expect(run.stdout).toMatch(/\| `baremetal:node:list` \| refused \|.*\| project_reader/u);
    expect(run.stdout).toContain('### Lost\n\n| action | change | scope |');
  }, 30_000);

  it('reports a switch whose default changed, although every combination is tried', async () => {
    const built = path.join(directory, 'open.tar.gz');
    const args = ['--bundle', sane, '--switch', 'open_access=on', '--out', built];
    await runTenure('policy', 'build', ...args);
    const run = await diff(sane, built);
    expect(run.error).toEqual(new ExitStatus(1));
    expect(run.stdout).toContain('The default of open_access was false and is true.\n');
    expect(run.stdout).toContain('Every answer is the same.');
  });

  it('cannot run when a policy answers with what is no decision', async () => {
    const rego = `package tenure.authz
# METADATA
# scope: document
# entrypoint: true
decision := {}
# METADATA
# scope: document
# entrypoint: true
batch := {}
`;
    const { error } = await diff(sane, buildRego(rego));
    expect(String(error)).toContain("the policy's answer is not a decision");
  });

  it.each([
    ['there is no such bundle', ['/no/such/bundle', 'SANE'], 'cannot be read (ENOENT)'],
    ['neither has the action', ['SANE', 'SANE', '--action', 'no:such'], 'neither policy has'],
    ['an overlay is wrong', ['SANE', 'SANE', '--old-overlay', 'BAD'], 'unknown action'],
  ])('cannot run when %s', async (_what, args, text) => {
    const bad = overlay('bad.yaml', 'no:such: []\n');
    const named = args.map((arg) => (arg === 'SANE' ? sane : arg === 'BAD' ? bad : arg));
    const { error } = await diff(...named);
    expect(error).not.toBeInstanceOf(ExitStatus);
    expect(String(error)).toContain(text);
  });
});

describe('the model', () => {
  const file = (text: string) => new Map([['x/tenure/custom/custom.rego', Buffer.from(text)]]);

  it('is not complete for a bundle with rules of an operator’s own', () => {
    const own = file('package tenure.custom\n\noverridden := {"a:b"}\n');
    expect(gapOf('new.tar.gz', own)).toContain('new.tar.gz has Rego rules of its own');
    const none = file('package tenure.custom\n\noverridden := set() | set()\n');
    expect(gapOf('new.tar.gz', none)).toBeUndefined();
  });
});

describe('sets of roles as a text', () => {
  it.each([
    ['any', ROLE_SETS],
    ['admin and up', ROLE_SETS.filter((roles) => roles.includes('admin'))],
    ['reader, admin', [['reader'], ['admin']]],
    ['observer', [['observer']]],
  ])('are %s', (text, sets) => {
    expect(rolesText(sets)).toBe(text);
  });
});
