import { type Row } from '../row.js';

const PEOPLE_OF_THE_SYSTEM = 'AAAA3 33333 33333 33333 3';
const EVERY_SYSTEM_READER = 'AAAAA 33333 33333 33333 3';
const SYSTEM_ADMIN = 'A3333 33333 33333 33333 3';

const update = [{ op: 'replace', path: '/extra', value: { note: 'x' } }];
const step = { interface: 'bios', step: 'apply_configuration', args: {}, priority: 10 };

/** Resources of the operator, which belong to no project. */
export const systemRows: readonly Row[] = [
  { line: 'GET /v1/chassis', ok: 200, expect: EVERY_SYSTEM_READER },
  { line: 'GET /v1/chassis/detail', ok: 200, expect: EVERY_SYSTEM_READER },
  { line: 'GET /v1/chassis/{chassis}', ok: 200, expect: EVERY_SYSTEM_READER },
  { line: 'GET /v1/chassis/{chassis}/nodes', ok: 200, expect: EVERY_SYSTEM_READER },
  { line: 'POST /v1/chassis', ok: 201, body: { description: 'row 4' }, expect: SYSTEM_ADMIN },
  {
    line: 'PATCH /v1/chassis/{chassis}',
    ok: 200,
    body: update,
    expect: 'AAA33 33333 33333 33333 3',
  },
  { line: 'DELETE /v1/chassis/{chassis}', ok: 204, expect: SYSTEM_ADMIN },

  { line: 'GET /v1/drivers', ok: 200, expect: EVERY_SYSTEM_READER },
  { line: 'GET /v1/drivers/fake-hardware', ok: 200, expect: EVERY_SYSTEM_READER },
  { line: 'GET /v1/drivers/fake-hardware/properties', ok: 200, expect: EVERY_SYSTEM_READER },
  {
    line: 'GET /v1/drivers/fake-hardware/raid/logical_disk_properties',
    ok: 200,
    expect: EVERY_SYSTEM_READER,
  },
  {
    line: 'GET /v1/drivers/fake-hardware/vendor_passthru/methods',
    ok: 200,
    expect: SYSTEM_ADMIN,
  },

  { line: 'GET /v1/conductors', ok: 200, expect: EVERY_SYSTEM_READER },
  { line: 'GET /v1/shards', ok: 200, expect: 'AAAAA 33333 33333 33333 A' },

  { line: 'GET /v1/deploy_templates', ok: 200, expect: EVERY_SYSTEM_READER },
  { line: 'GET /v1/deploy_templates/{template}', ok: 200, expect: EVERY_SYSTEM_READER },
  {
    line: 'POST /v1/deploy_templates',
    ok: 201,
    body: { name: 'CUSTOM_{unique}', steps: [step] },
    expect: SYSTEM_ADMIN,
  },
  {
    line: 'PATCH /v1/deploy_templates/{template}',
    ok: 200,
    body: update,
    expect: SYSTEM_ADMIN,
  },
  { line: 'DELETE /v1/deploy_templates/{template}', ok: 204, expect: SYSTEM_ADMIN },

  { line: 'GET /v1/introspection', ok: 200, expect: PEOPLE_OF_THE_SYSTEM },
  {
    line: 'GET /v1/introspection/{node}',
    ok: 200,
    node: { inspection_started_at: '2026-11-21T06:00:00+00:00' },
    expect: PEOPLE_OF_THE_SYSTEM,
  },
  {
    line: 'POST /v1/introspection/{node}',
    ok: 202,
    node: { provision_state: 'manageable' },
    expect: SYSTEM_ADMIN,
  },
];
