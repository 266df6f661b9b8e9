import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { faultOf } from '@tenure/testing';
import { uuidOf } from './testing/fixtures.js';
import { replacing, resourceCalls } from './testing/resource-calls.js';
import { NOTHING, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { create, list, on, stored } = resourceCalls(() => app);

const context = { obligations: NOTHING };
const step = (values: Readonly<Record<string, unknown>> = {}) => ({
  interface: 'bios',
  step: 'apply_configuration',
  args: { settings: [] },
  priority: 150,
  ...values,
});
const make = (values: Readonly<Record<string, unknown>> = {}) =>
  create(
    'deploy_templates',
    null,
    { uuid: uuidOf(61), name: 'CUSTOM_HT', steps: [step()], ...values },
    context,
  );

beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

describe('deploy templates', () => {
  it('are created, and found by uuid and by name', async () => {
    const created = await make();
    expect(created.status).toBe(201);
    expect(Object.keys(created.body as object)).toEqual([
      'uuid',
      'created_at',
      'updated_at',
      'name',
      'extra',
      'links',
      'steps',
    ]);
    expect((await on('deploy_templates', 61, { context })).body).toEqual(created.body);
    expect((await list('/v1/deploy_templates/CUSTOM_HT', context)).body).toEqual(created.body);
    expect((await list('/v1/deploy_templates/CUSTOM_NONE', context)).status).toBe(404);
    expect((await list('/v1/deploy_templates', context)).body).toEqual({
      deploy_templates: [{ uuid: uuidOf(61), name: 'CUSTOM_HT', links: expect.anything() }],
    });
  });

  it.each([
    { name: 'ht' },
    { name: 'CUSTOM_ht' },
    { name: null },
    { steps: [] },
    { steps: [step({ interface: 'bogus' })] },
    { steps: [step({ priority: -1 })] },
    { steps: [step({ bogus: 1 })] },
    { steps: [{ interface: 'bios', step: 'x', priority: 1 }] },
    { steps: [step(), step({ priority: 1 })] },
    { bogus: 1 },
  ])('with %j are refused', async (values) => {
    expect((await make(values)).status).toBe(400);
  });

  it('are read by conductors, by name', async () => {
    await make();
    const ask = (from: 'conductor' | 'allocation', query: string) =>
      app.call({ from, target: `/internal/deploy-templates${query}` });
    expect(await ask('conductor', '?names=CUSTOM_NONE,CUSTOM_HT')).toMatchObject({
      status: 200,
      body: { deploy_templates: [{ name: 'CUSTOM_HT', steps: [step()] }] },
    });
    expect((await ask('conductor', '?names=CUSTOM_NONE')).body).toEqual({ deploy_templates: [] });
    expect((await ask('conductor', '')).status).toBe(400);
    const many = Array.from({ length: 51 }, (_, index) => `CUSTOM_${String(index)}`).join(',');
    expect((await ask('conductor', `?names=${many}`)).status).toBe(400);
    expect((await ask('allocation', '?names=CUSTOM_HT')).status).toBe(403);
  });

  it('have names of their own', async () => {
    await make();
    const second = await make({ uuid: uuidOf(62) });
    expect([second.status, faultOf(second)]).toEqual([
      409,
      'A deploy template with name CUSTOM_HT already exists.',
    ]);
  });

  it('are patched, steps one by one too, and never to what is not valid', async () => {
    await make();
    const patch = (body: unknown) => on('deploy_templates', 61, { method: 'PATCH', body, context });
    expect((await patch(replacing('/steps/0/priority', 10))).body).toMatchObject({
      steps: [{ priority: 10 }],
    });
    const added = [{ op: 'add', path: '/steps/-', value: step({ step: 'other' }) }];
    expect((await patch(added)).body).toMatchObject({
      steps: [{ step: 'apply_configuration' }, { step: 'other' }],
    });
    for (const body of [
      replacing('/steps/0/priority', 'x'),
      replacing('/steps/1/step', 'apply_configuration'),
      replacing('/name', 'x'),
      [{ op: 'remove', path: '/steps' }],
      [
        { op: 'remove', path: '/steps/0' },
        { op: 'remove', path: '/steps/0' },
      ],
    ])
      expect((await patch(body)).status).toBe(400);
    expect(await stored('deploy_templates', 61)).toMatchObject({ revision: 3 });
    expect((await on('deploy_templates', 61, { method: 'DELETE', context })).status).toBe(204);
  });
});
