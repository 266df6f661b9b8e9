import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { memberOf } from '@tenure/policy';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { productBundle } from '../testing/product-bundle.js';
import { type Run, runTenure } from '../testing/run-tenure.js';
import { unknownNames, unusedGrants } from './names.js';
import { notInGoldenTable, opaCheck } from './sources.js';

const directory = mkdtempSync(path.join(tmpdir(), 'tenure-lint-'));
function overlay(name: string, text: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, text);
  return file;
}

let bundle: string;
beforeAll(() => {
  bundle = productBundle();
}, 30_000);

const lint = (...args: readonly string[]): Promise<Run> =>
  runTenure('policy', 'lint', '--bundle', bundle, '--sources', directory, ...args);

function warningsOf({ stdout }: Run): readonly unknown[] {
  const findings = memberOf(JSON.parse(stdout), 'findings');
  return Array.isArray(findings)
    ? findings.filter((each) => memberOf(each, 'severity') === 'warning')
    : [];
}

describe('tenure policy lint', () => {
  it('finds the policy of this repository clean', async () => {
    const { stdout, error } = await lint();
    expect(error).toBeUndefined();
    expect(stdout).toContain('note    unused-grant: lessee_service: no row names this grant\n');
    expect(stdout).toMatch(/\nclean\n$/u);
  }, 60_000);

  it('finds rows that allow nobody, grants that add nobody or never see the resource, and lines like the default', async () => {
    const file = overlay(
      'mine.yaml',
      `baremetal:node:inject_nmi: []
baremetal:node:vmedia:get: [owner_reader, owner_admin]
baremetal:node:vmedia:attach: [owner_member, lessee_service]
baremetal:node:firmware:get: [lessee_reader, owner_reader, owner_service, system_reader, system_service, service_elevated]
`,
    );
    const run = await lint('--overlay', file, '--json');
    expect(run.error).toEqual(new ExitStatus(1));
    expect(warningsOf(run)).toEqual([
      {
        rule: 'nobody',
        severity: 'warning',
        about: 'baremetal:node:inject_nmi',
        message: 'nobody is allowed this',
      },
      {
        rule: 'never-visible',
        severity: 'warning',
        about: 'baremetal:node:vmedia:attach',
        message: 'lessee_service lets nobody in: service of the lessee may not see the resource',
      },
      {
        rule: 'redundant-grant',
        severity: 'warning',
        about: 'baremetal:node:vmedia:get',
        message: 'owner_admin lets nobody in whom another grant of the row does not let in',
      },
      {
        rule: 'same-as-default',
        severity: 'warning',
        about: 'baremetal:node:firmware:get',
        message: `${file}, line 4 says what the table says without it`,
      },
    ]);
  }, 60_000);

  it('finds names in overlays that are names of nothing', async () => {
    const file = overlay('bad.yaml', '# mine\nbaremetal:node:get: [everyone]\n');
    const run = await lint('--overlay', file, '--json');
    expect(run.error).toEqual(new ExitStatus(1));
    expect(warningsOf(run)).toMatchObject([
      {
        rule: 'unknown-name',
        message: `overlay ${file}, line 2, rule baremetal:node:get: unknown grant "everyone"`,
      },
    ]);
  });

  it('cannot run without a bundle', async () => {
    const { error } = await runTenure('policy', 'lint', '--bundle', '/no/such/bundle');
    expect(error).not.toBeInstanceOf(ExitStatus);
    expect(String(error)).toContain('cannot be read (ENOENT)');
  });
});

describe('names in tables', () => {
  const data = {
    tenure: {
      actions: {
        'a:get': { grants: ['x', 'typo'], fallback: 'a:absent', switch: 'off' },
        'a:put': { grants: ['x'], table: 't' },
      },
      grants: { catalogue: { x: '', spare: '' } },
      switches: { on: true },
      resources: { a: { get: 'a:get', list: 'a:lists' } },
      fields: { tables: { t: { other: 'a:put', write: { f: 'a:writ', g: null } } } },
    },
  };

  it('are found where they are names of nothing', () => {
    expect(unknownNames(data).map(({ about, message }) => `${about} ${message}`)).toEqual([
      'a:get names the grant typo, which there is not',
      'a:get names the action a:absent, which there is not',
      'a:get names the switch off, which there is not',
      'field table t names the action a:writ, which there is not',
      'type a names the action a:lists, which there is not',
    ]);
  });

  it('are noted where no row uses them', () => {
    expect(unusedGrants(data)).toMatchObject([{ severity: 'note', about: 'spare' }]);
  });
});

describe('sources', () => {
  const sources = path.join(directory, 'rego');
  mkdirSync(path.join(sources, 'tenure'), { recursive: true });
  mkdirSync(path.join(sources, 'golden'));

  it('are evaluated for the actions of the golden table', async () => {
    writeFileSync(path.join(sources, 'golden', 'persona_matrix.golden.txt'), 'a:b   A A\n');
    expect(await notInGoldenTable(sources, ['a:b', 'a:c'])).toMatchObject([{ about: 'a:c' }]);
    expect(await notInGoldenTable('/no/such/place', ['a:c'])).toEqual([]);
  });

  it('are checked by opa', async () => {
    const file = path.join(sources, 'tenure', 'p.rego');
    writeFileSync(file, 'package p\n\nallow if input.x\n');
    expect(await opaCheck(sources)).toEqual([]);
    writeFileSync(file, 'package p\n\nallow if no_such_function(1)\n');
    const [found] = await opaCheck(sources);
    expect(found).toMatchObject({ rule: 'opa-check', severity: 'warning' });
    expect(found?.message).toContain('no_such_function');
    expect(await opaCheck('/no/such/place')).toMatchObject([{ severity: 'note' }]);
  });
});
