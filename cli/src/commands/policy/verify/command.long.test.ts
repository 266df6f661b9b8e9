import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { memberOf } from '@tenure/policy';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { productBundle } from '../testing/product-bundle.js';
import { runTenure } from '../testing/run-tenure.js';

let directory: string;
let bundle: string;
beforeAll(() => {
  bundle = productBundle();
  directory = path.dirname(bundle);
}, 30_000);

function overlay(text: string): string {
  const file = path.join(directory, 'overlay.yaml');
  writeFileSync(file, text);
  return file;
}

// Threads need compiled files.
const READS = [
  '--jobs',
  '1',
  '--action',
  'baremetal:node:get',
  'baremetal:node:list',
  'baremetal:port:list',
];

describe('tenure policy verify', () => {
  it('finds the policy of this repository clean for what nodes show, and says so', async () => {
    const { stdout, error } = await runTenure('policy', 'verify', '--bundle', bundle, ...READS);
    expect(error).toBeUndefined();
    expect(stdout).toContain('ok      third-parties-reach-no-node');
    expect(stdout).toMatch(/questions, clean: 15 invariants hold\n$/);
  }, 30_000);

  it('ends with 1 and the smallest question when an overlay opens nodes to every project', async () => {
    const file = overlay('baremetal:node:get: [system_reader, project_reader]\n');
    const { stdout, stderr, error } = await runTenure(
      ...['policy', 'verify', '--bundle', bundle, '--overlay', file, '--json', ...READS],
    );
    expect(error).toEqual(new ExitStatus(1));
    // Progress is for terminals.
    expect(stderr).toBe('');
    const document: unknown = JSON.parse(stdout);
    const invariants = memberOf(document, 'invariants');
    const found: unknown = Array.isArray(invariants)
      ? invariants.find((each) => memberOf(each, 'name') === 'third-parties-reach-no-node')
      : undefined;
    expect(document).toMatchObject({ clean: false, overlays: [file] });
    expect(found).toMatchObject({
      actions: ['baremetal:node:get'],
      smallest: {
        because: 'it is allowed, by project_reader',
        switches: { enforce_new_defaults: true, rbac_service_role_elevated_access: false },
        question: {
          action: 'baremetal:node:get',
          subject: { project_id: 'own-project', roles: ['reader'] },
          resource: { type: 'node', owner: 'other-owner', lessee: 'other-lessee' },
        },
        answer: { allow: true },
      },
    });
  }, 30_000);

  it.each([
    ['there is no bundle', ['--bundle', '/no/such/bundle'], 'cannot be read (ENOENT)'],
    ['an action is unknown', ['--action', 'baremetal:no:such'], 'has no action'],
  ])('cannot run when %s', async (_what, args, message) => {
    const { error } = await runTenure('policy', 'verify', '--bundle', bundle, ...args);
    expect(error).not.toBeInstanceOf(ExitStatus);
    expect(String(error)).toContain(message);
  });

  it('cannot run with a bad overlay, and names its line', async () => {
    const file = overlay('# mine\nbaremetal:node:get: [everyone]\n');
    const { error } = await runTenure('policy', 'verify', '--bundle', bundle, '--overlay', file);
    expect(String(error)).toContain(
      `overlay ${file}, line 2, rule baremetal:node:get: unknown grant "everyone"`,
    );
  });
});
