import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { json, tenancyOf } from './testing/fakes.js';
import { startTestGateway, type TestGateway } from './testing/test-gateway.js';

const NODE = {
  uuid: '00000000-0000-4000-8000-000000000001',
  owner: 'p1',
  lessee: null,
  tenancy_revision: 7,
};
const LIST = '/v1/nodes?limit=1000';

let gateway: TestGateway;
/** Completes the lists that the inventory has started. */
let pending: (() => void)[];

beforeEach(async () => {
  pending = [];
  gateway = await startTestGateway({
    admission: { admissionMaxMs: 20, admissionQueue: 2, admissionWaitMs: 10_000 },
  });
  gateway.inventory.answer = tenancyOf({ 'node-1': NODE }, ({ target }, response) => {
    const answer = (): void => {
      response.setHeader('X-Tenure-Spent', '40.0 40.0');
      json(response, 200, { nodes: [] });
    };
    if (target === LIST) pending.push(answer);
    else answer();
  });
});
afterEach(async () => {
  for (const end of pending) end();
  await gateway.stop();
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
const sent = (): number =>
  gateway.inventory.received.filter(({ target }) => target === LIST).length;

/** Starts `count` lists: one is in flight and the others are queued. */
async function lists(count: number): Promise<Promise<Response>[]> {
  const responses = Array.from({ length: count }, () => gateway.fetch(LIST));
  await until(() => sent() === 1);
  return responses;
}

describe('under load', () => {
  it('lists of one project wait for each other, and further ones are refused at once with 429', async () => {
    const responses = await lists(4);
    const refused = await Promise.race(responses);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({
      error_message: expect.stringContaining('try again shortly'),
    });
    expect(sent()).toBe(1);
    for (let round = 1; round <= 3; round += 1) {
      await until(() => sent() === round);
      pending.shift()?.();
    }
    const statuses = await Promise.all(responses.map(async (one) => (await one).status));
    expect(statuses.toSorted()).toEqual([200, 200, 200, 429]);
  });

  it('an order does not wait for lists', async () => {
    const responses = await lists(2);
    const answer = await gateway.fetch('/v1/nodes/node-1/states/power', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"target":"power on"}',
    });
    expect(answer.status).toBe(202);
    pending.shift()?.();
    await until(() => sent() === 2);
    pending.shift()?.();
    expect(await Promise.all(responses.map(async (one) => (await one).status))).toEqual([200, 200]);
  });

  it('clients do not see the cost of a request', async () => {
    const [responses] = await lists(1);
    pending.shift()?.();
    expect((await responses)?.headers.has('x-tenure-spent')).toBe(false);
  });
});
