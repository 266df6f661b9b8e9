import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, askLatest } from '../support/http-client.js';
import {
  inProject,
  inProjectCalled,
  newProject,
  type Persona,
  systemAdmin,
} from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';

// Rows of the system alone. Project tokens that some grant of the row fits: the elevated service account, and with the
// deprecated rules the admins of projects.

const service = inProjectCalled('service', 'service');
const anAdmin = inProject(newProject('scope'), 'admin');
const aReader = inProject(newProject('scope'), 'reader');

interface Row {
  readonly line: string;
  readonly body?: unknown;
  readonly allowed: number;
  /** The answers to the elevated service account, and to an admin of a project by the deprecated rules, without scopes. */
  readonly service: number;
  readonly admin: number;
}

const chassis = { uuid: randomUUID() };

const ROWS: readonly Row[] = [
  { line: 'GET /v1/chassis', allowed: 200, service: 200, admin: 200 },
  { line: `GET /v1/chassis/${chassis.uuid}`, allowed: 200, service: 200, admin: 200 },
  { line: 'GET /v1/drivers', allowed: 200, service: 200, admin: 200 },
  { line: 'GET /v1/drivers/fake-hardware', allowed: 200, service: 200, admin: 200 },
  { line: 'GET /v1/drivers/fake-hardware/properties', allowed: 200, service: 200, admin: 200 },
  {
    line: 'GET /v1/drivers/fake-hardware/raid/logical_disk_properties',
    allowed: 200,
    service: 200,
    admin: 200,
  },
  { line: 'POST /v1/chassis', body: { description: 'x' }, allowed: 201, service: 403, admin: 201 },
  {
    line: `PATCH /v1/chassis/${chassis.uuid}`,
    body: [{ op: 'replace', path: '/description', value: 'y' }],
    allowed: 200,
    service: 403,
    admin: 200,
  },
  { line: 'GET /v1/introspection', allowed: 200, service: 403, admin: 200 },
];

const ELEVATED = { TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS: 'true' };
const OLD = { TENURE_ENFORCE_NEW_DEFAULTS: 'false' };
const UNSCOPED = { TENURE_ENFORCE_SCOPE: 'false' };

describe.each([
  { about: 'scopes enforced', settings: { ...ELEVATED, ...OLD }, service: false, admin: false },
  {
    about: 'scopes not enforced',
    settings: { ...ELEVATED, ...UNSCOPED },
    service: true,
    admin: false,
  },
  {
    about: 'neither scopes nor new defaults enforced',
    settings: { ...ELEVATED, ...UNSCOPED, ...OLD },
    service: true,
    admin: true,
  },
])('with $about', ({ settings, service: isServed, admin: isAdmin }) => {
  let tenure: Tenure;

  beforeAll(async () => {
    tenure = await startTenure('scope', settings);
    await tenure.importDocument({ nodes: [], chassis: [chassis] });
  });

  afterAll(() => tenure.stop());

  const ask = (who: Persona, { line, body }: Row): Promise<Answer> =>
    askLatest(tenure, who, line, body);

  it.each(ROWS)('$line', async (row) => {
    const answers = [];
    for (const who of [systemAdmin, service, anAdmin, aReader])
      answers.push((await ask(who, row)).status);
    expect(answers).toEqual([
      row.allowed,
      isServed ? row.service : 403,
      isAdmin ? row.admin : 403,
      403,
    ]);
  });
});
