import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { productBundle } from '../testing/product-bundle.js';
import { type Run, runTenureIn } from '../testing/run-tenure.js';

let bundle: string;
beforeAll(() => {
  bundle = productBundle();
}, 60_000);

const ELEVATED = { TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS: 'true' };

const selftest = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  runTenureIn(env, 'policy', 'selftest', '--as', 'nova', '--bundle', bundle, ...args);

function overlay(text: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'tenure-selftest-')), 'overlay.yaml');
  writeFileSync(file, text);
  return file;
}

const statusOf = ({ error }: Run): number => (error instanceof ExitStatus ? error.status : -1);

describe('tenure policy selftest --as nova', () => {
  it('passes when one of the accounts that Nova can have makes all its calls', async () => {
    const { stdout, error } = await selftest({});
    expect(error).toBeUndefined();
    expect(stdout).toContain(
      'ok     service on the system: 21 of 21 calls work, 9 of 9 calls that Nova never makes are refused\n' +
        'FAILED service in project service: 1 of 21 calls work, 9 of 9 calls that Nova never makes are refused\n' +
        '   2 read a node: baremetal:node:get on any node: not visible, which Nova takes for deleted\n',
    );
    expect(stdout).toContain('TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS=true');
  });

  it('fails for the account that was named and may not work', async () => {
    expect(statusOf(await selftest({}, '--project', 'service'))).toBe(1);
  });

  it('goes by the switches of the environment', async () => {
    const { stdout, error } = await selftest(ELEVATED, '--project', 'service');
    expect(error).toBeUndefined();
    expect(stdout).toBe(
      'ok     service in project service: 21 of 21 calls work, 9 of 9 calls that Nova never makes are refused\n',
    );
    const infra = { ...ELEVATED, TENURE_RBAC_SERVICE_PROJECT: 'infra' };
    expect(statusOf(await selftest(infra, '--project', 'service'))).toBe(1);
    expect((await selftest(infra)).stdout).toContain('ok     service in project infra');
  });

  it('names the call that an overlay broke', async () => {
    const file = overlay('baremetal:node:inject_nmi: [system_admin]\n');
    for (const run of [
      await selftest({}, '--system', '--overlay', file),
      await selftest({ TENURE_POLICY_OVERLAYS: file }, '--system'),
    ]) {
      expect(statusOf(run)).toBe(1);
      expect(run.stdout).toContain(
        '20 of 21 calls work, 9 of 9 calls that Nova never makes are refused\n' +
          '  19 inject an NMI: baremetal:node:inject_nmi on any node: refused (baremetal:node:inject_nmi)\n',
      );
    }
  });

  it('fails when the account may do what Nova never does', async () => {
    const file = overlay('baremetal:node:create: [system_admin, system_service]\n');
    const run = await selftest({}, '--system', '--overlay', file, '--json');
    expect(statusOf(run)).toBe(1);
    expect(JSON.parse(run.stdout)).toEqual({
      calls: 21,
      accounts: [
        {
          account: 'service on the system',
          ok: false,
          missing: [],
          excess: [
            {
              call: 1,
              what: 'create a node',
              action: 'baremetal:node:create',
              node: null,
              reason: 'allowed',
            },
          ],
        },
      ],
    });
  });
});
