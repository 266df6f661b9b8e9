import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { faultOf } from '@tenure/testing';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { masking, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

const add = (values: Readonly<Record<string, unknown>> = {}) =>
  app.stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1), name: 'n1', ...values }, epoch));
const stored = async () => (await app.stores.nodes.findBy('uuid', uuidOf(1)))?.traits;
const traits = (method: string, below = '', body?: unknown, obligations = masking()) =>
  app.onNode(uuidOf(1), {
    method,
    below: `/traits${below}`,
    ...(body !== undefined && { body }),
    context: { obligations },
  });

describe('traits', () => {
  it('are read as they are stored', async () => {
    await add({ traits: ['HW_CPU_X86_VMX', 'CUSTOM_GOLD'] });
    expect(await traits('GET')).toMatchObject({
      status: 200,
      body: { traits: ['HW_CPU_X86_VMX', 'CUSTOM_GOLD'] },
    });
  });

  it('are replaced as a whole, each once', async () => {
    await add({ traits: ['CUSTOM_OLD'] });
    const answer = await traits('PUT', '', { traits: ['CUSTOM_A', 'HW_B', 'CUSTOM_A'] });
    expect(answer).toMatchObject({ status: 204, body: undefined });
    expect(answer.headers.get('location')).toBeNull();
    expect(await stored()).toEqual(['CUSTOM_A', 'HW_B']);
  });

  it('are added one by one, with a Location, and may be there already', async () => {
    await add({ traits: ['CUSTOM_A'] });
    for (const trait of ['CUSTOM_B', 'CUSTOM_A']) {
      const answer = await traits('PUT', `/${trait}`);
      expect(answer.status).toBe(204);
      expect(answer.headers.get('location')).toBe(
        `http://127.0.0.1:6385/v1/nodes/${uuidOf(1)}/traits/${trait}`,
      );
    }
    expect(await stored()).toEqual(['CUSTOM_A', 'CUSTOM_B']);
  });

  it('are removed one by one, or all', async () => {
    await add({ traits: ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C'] });
    expect((await traits('DELETE', '/CUSTOM_B')).status).toBe(204);
    expect(await stored()).toEqual(['CUSTOM_A', 'CUSTOM_C']);
    expect((await traits('DELETE')).status).toBe(204);
    expect(await stored()).toEqual([]);
  });

  it('that a node does not have cannot be removed: a part is missing, not the node', async () => {
    await add({ traits: ['CUSTOM_A'] });
    const answer = await traits('DELETE', '/CUSTOM_B');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-tenure-missing')).toBe('part');
    expect(faultOf(answer)).toBe(`Node ${uuidOf(1)} doesn't have a trait 'CUSTOM_B'`);
  });

  it.each(['lower', 'CUSTOM_', 'CUSTOM_lower', '_A', '1A', 'A-B', `CUSTOM_${'A'.repeat(249)}`])(
    'named %s are refused wherever they are given',
    async (name) => {
      await add({ traits: ['CUSTOM_A'] });
      expect((await traits('PUT', `/${name}`)).status).toBe(400);
      expect((await traits('DELETE', `/${name}`)).status).toBe(400);
      expect((await traits('PUT', '', { traits: ['CUSTOM_B', name] })).status).toBe(400);
      const imported = { uuid: uuidOf(2), driver: 'fake-hardware', traits: [name] };
      const body = { nodes: [imported] };
      const target = '/internal/import';
      expect((await app.call({ from: 'cli', method: 'POST', target, body })).status).toBe(400);
      expect(await stored()).toEqual(['CUSTOM_A']);
    },
  );

  it('are fifty at most', async () => {
    const names = Array.from({ length: 51 }, (_, index) => `CUSTOM_${String(index)}`);
    await add({ traits: names.slice(0, 50) });
    expect((await traits('PUT', `/${names[50] ?? ''}`)).status).toBe(400);
    expect((await traits('PUT', '', { traits: names })).status).toBe(400);
    expect((await traits('PUT', '/CUSTOM_7')).status).toBe(204);
    expect(await stored()).toEqual(names.slice(0, 50));
  });

  it.each([
    ['a body that is no object', []],
    ['another member', { traits: [], extra: 1 }],
    ['no list', { traits: 'CUSTOM_A' }],
    ['no text', { traits: [1] }],
  ])('with %s are refused', async (_, body) => {
    await add();
    expect((await traits('PUT', '', body)).status).toBe(400);
  });

  it('one trait is set without a body', async () => {
    await add();
    expect((await traits('PUT', '/CUSTOM_A', { traits: [] })).status).toBe(400);
    expect((await traits('PUT', '/CUSTOM_A', {})).status).toBe(204);
  });

  it('of a locked node do not change, and its holder is named to callers that may see it', async () => {
    await add({ traits: ['CUSTOM_A'], reservation: 'c1' });
    for (const [method, below, body] of [
      ['PUT', '/CUSTOM_B', undefined],
      ['PUT', '', { traits: [] }],
      ['DELETE', '', undefined],
      ['DELETE', '/CUSTOM_A', undefined],
    ] as const) {
      const answer = await traits(method, below, body);
      expect(answer.status).toBe(409);
      expect(faultOf(answer)).toContain('locked by host c1');
      expect(faultOf(await traits(method, below, body, masking('reservation')))).not.toContain(
        'c1',
      );
    }
    expect(await stored()).toEqual(['CUSTOM_A']);
  });

  it('are not changed on a decision about another tenancy', async () => {
    const { tenancy_revision: revision } = await add({ traits: ['CUSTOM_A'] });
    const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision: revision + 1 }];
    const answer = await app.onNode(uuidOf(1), {
      method: 'DELETE',
      below: '/traits',
      context: { resources },
    });
    expect(answer.status).toBe(412);
    expect(await stored()).toEqual(['CUSTOM_A']);
  });
});
