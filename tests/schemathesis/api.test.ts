import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask } from '../support/http-client.js';
import { cleanEnvironment, runDirectory, venvBin } from '../support/paths.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { recordedServer } from '../support/recorded-server.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { seedFleet, type SeededFleet } from './fleet.js';

const run = promisify(execFile);

const OWNER = newProject('owner');
const LESSEE = newProject('lessee');

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'allow_header_conformance',
  'ignored_auth',
  'hidden_stays_hidden',
  'ReachesWhatItShould',
];

interface Caller {
  readonly who: string;
  readonly persona: Persona;
  /** The requests to make: good ones only, or bad ones as well, most of which are refused before authentication. */
  readonly mode: 'positive' | 'all';
  /** Whether the whole fleet is somebody else's. */
  readonly isStranger?: true;
  /** Requests that must have succeeded: a caller that is always refused checks little. */
  readonly reached: readonly string[];
}

/** Some are deleted on the way. */
const SERVERS = 12;

const ITEM = '{ident}';
const gets = (base: string, ...below: readonly string[]): readonly string[] =>
  below.map((path) => `GET ${base}${path}`);

const LISTS = gets(
  '/v1',
  '/nodes',
  '/nodes/detail',
  '/ports',
  '/ports/detail',
  '/portgroups',
  '/portgroups/detail',
  '/volume/connectors',
  '/volume/targets',
  '/allocations',
).concat(gets('/v2.1', '', '/servers', '/servers/detail', '/flavors', '/os-keypairs'));
const READS = [
  ...LISTS,
  ...gets('/v1', `/ports/${ITEM}`, `/portgroups/${ITEM}`, '/nodes/validate', `/nodes/${ITEM}`),
  ...gets(`/v1/portgroups/${ITEM}`, '/ports', '/ports/detail'),
  ...gets(
    `/v1/nodes/${ITEM}`,
    '/validate',
    '/states',
    '/traits',
    '/vifs',
    '/bios',
    '/ports',
    '/ports/detail',
    '/portgroups',
    '/portgroups/detail',
    '/volume',
    '/volume/connectors',
    '/volume/targets',
  ),
];

const CALLERS: readonly Caller[] = [
  {
    who: 'a stranger, who learns nothing of the fleet',
    persona: inProject(newProject('stranger'), 'admin'),
    mode: 'positive',
    isStranger: true,
    reached: LISTS,
  },
  {
    who: 'the lessee',
    persona: inProject(LESSEE, 'admin'),
    mode: 'positive',
    reached: READS,
  },
  {
    who: 'the owner',
    persona: inProject(OWNER, 'admin'),
    mode: 'all',
    reached: [
      ...READS,
      `GET /v1/allocations/${ITEM}`,
      `PATCH /v1/ports/${ITEM}`,
      `PATCH /v1/portgroups/${ITEM}`,
      `DELETE /v1/ports/${ITEM}`,
      `DELETE /v1/allocations/${ITEM}`,
      `PUT /v1/nodes/${ITEM}/traits`,
      `PUT /v1/nodes/${ITEM}/maintenance`,
      `PUT /v1/nodes/${ITEM}/states/power`,
      `GET /v1/nodes/${ITEM}/management/boot_device`,
      `GET /v2.1/servers/${ITEM}`,
      `PUT /v2.1/servers/${ITEM}`,
      `GET /v1/nodes/${ITEM}/management/boot_device/supported`,
      `PUT /v1/nodes/${ITEM}/management/boot_device`,
    ],
  },
  {
    who: 'the operator',
    persona: systemAdmin,
    mode: 'positive',
    reached: [
      ...READS,
      ...gets('/v1', '/chassis', '/chassis/detail', `/chassis/${ITEM}`, '/volume', '/conductors'),
      ...gets('/v1', '/deploy_templates', `/deploy_templates/${ITEM}`, '/introspection'),
      ...gets('/v1/drivers', '', '/{driver}', '/{driver}/properties'),
      'POST /v1/chassis',
      `GET /v1/nodes/${ITEM}/vendor_passthru/methods`,
    ],
  },
];

describe('what the API says of itself', () => {
  const fleet: SeededFleet = seedFleet({ owner: OWNER, lessee: LESSEE });
  let tenure: Tenure;
  let directory: string;
  let description: string;
  const servers: string[] = [];

  beforeAll(async () => {
    mkdirSync(runDirectory, { recursive: true });
    directory = mkdtempSync(path.join(runDirectory, 'schemathesis-'));
    tenure = await startTenure('schemathesis', { GATEWAY_RATE_LIMIT: '1000000' });
    await tenure.importDocument(fleet.document);
    for (let count = 0; count < SERVERS; count += 1)
      servers.push(await recordedServer(tenure, OWNER, `user-of-${OWNER}`));
    description = path.join(directory, 'openapi.json');
    writeFileSync(description, (await ask(tenure, null, 'GET /openapi.json')).text);
  });

  afterAll(() => tenure.stop());

  const hostnames = async (): Promise<readonly string[]> => {
    const { json } = await ask(tenure, systemAdmin, 'GET /v1/conductors');
    const { conductors } = json as {
      readonly conductors: readonly { readonly hostname: string }[];
    };
    return conductors.map(({ hostname }) => hostname);
  };

  /** Minor of the newest microversion. */
  const newest = async (): Promise<number> => {
    const { headers } = await ask(tenure, null, 'GET /');
    return Number(headers['x-openstack-ironic-api-maximum-version']?.split('.')[1]);
  };

  /** Runs schemathesis as somebody; what it printed, when it found something. */
  const findings = async ({ persona, mode, isStranger, reached }: Caller): Promise<string> => {
    const seeds = path.join(directory, `${persona.user}.json`);
    const hidden = isStranger === true ? [...fleet.secrets, ...servers] : [];
    const values = {
      driver: ['fake-hardware'],
      trait: ['CUSTOM_GPU', 'HW_CPU_X86_VMX'],
      indicator: ['power@chassis', 'chassis'],
      hostname: await hostnames(),
      flavor: ['baremetal'],
    };
    writeFileSync(
      seeds,
      JSON.stringify({
        ids: { ...fleet.ids, servers },
        newest: await newest(),
        values,
        hidden,
        reached,
      }),
    );
    const token = await tenure.token(persona);
    const args = [
      ...['run', `${tenure.url}/openapi.json`, '--checks', CHECKS.join(',')],
      ...['--header', `X-Auth-Token:${token}`],
      ...['--header', 'X-OpenStack-Ironic-API-Version:latest'],
      ...['--phases', 'examples,coverage,fuzzing', '--mode', mode],
      ...['--max-examples', '6', '--seed', '20261121'],
      ...['--generation-database', 'none', '--suppress-health-check', 'all', '--no-shrink'],
      ...['--continue-on-failure', '--warnings', 'off', '--request-timeout', '15'],
    ];
    const env = {
      ...cleanEnvironment(),
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
      TENURE_SEEDS: seeds,
      TENURE_DESCRIPTION: description,
    };
    const done = await run(path.join(venvBin, 'schemathesis'), args, {
      cwd: directory,
      env,
      maxBuffer: 1 << 28,
    }).catch((error: unknown) => error as { readonly stdout: string; readonly code: number }); // of execFile
    writeFileSync(path.join(directory, `${persona.user}.log`), done.stdout);
    return 'code' in done ? `status ${done.code}\n${done.stdout}` : '';
  };

  it('is OpenAPI 3.1', async () => {
    const validator = path.join(venvBin, 'openapi-spec-validator');
    const { stdout } = await run(validator, ['--schema', '3.1', description]);
    expect(stdout).toContain('OK');
  });

  it.each(CALLERS)('is true for $who', async (caller) => {
    expect(await findings(caller)).toBe('');
  });
});
