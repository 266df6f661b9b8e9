import { beforeEach, describe, expect, it } from '@jest/globals';
import { toAppError } from '@tenure/contracts';
import { createAdaptiveLimit } from './adaptive-limit.js';
import { type Admission, type Admitted, createAdmission, type Took } from './admission.js';
import { createCostBook } from './cost-book.js';
import { createFairQueue, type RequestClass } from './fair-queue.js';

let admission: Admission;
const refused: string[] = [];

beforeEach(() => {
  refused.length = 0;
  admission = createAdmission({
    costs: createCostBook(),
    limit: createAdaptiveLimit({ min: 10, max: 400, targetMs: 10, now: () => 0 }),
    queue: createFairQueue({
      limit: () => 100,
      maxOwnLoad: Infinity,
      maxOwn: 2,
      maxWaiting: 3,
      maxWaitMs: 50,
    }),
    onRefused: (requestClass, refusal) => refused.push(`${requestClass} ${refusal}`),
  });
});

const took = (ms: number): Took => ({ tookMs: ms, spent: { elapsedMs: ms, activeMs: ms } });

const ask = (tenant: string, requestClass: RequestClass = 'list', kind = `GET ${requestClass}`) =>
  Promise.resolve().then(() => admission.admit({ kind, requestClass, tenant }));

const statusOf = async (admission: Promise<Admitted>): Promise<unknown> =>
  admission.then(
    () => 200,
    (thrown: unknown) => {
      const { status, headers } = toAppError(thrown);
      return [status, headers];
    },
  );

describe('admission', () => {
  it('refuses a tenant with its maximum of queued requests with 429 and Retry-After', async () => {
    await Promise.all([ask('noisy'), ask('noisy')]); // 40 each: the half of 100 that lists may fill
    const waiting = [ask('noisy'), ask('noisy')];
    expect(await statusOf(ask('noisy'))).toEqual([429, { 'Retry-After': '1' }]);
    await Promise.allSettled(waiting);
    expect(refused[0]).toBe('list project_limit');
  });

  it('refuses with 503 when all tenants together have too many requests queued', async () => {
    await Promise.all([ask('a'), ask('b')]);
    const waiting = ['c', 'd', 'e'].map((tenant) => ask(tenant));
    expect(await statusOf(ask('f'))).toEqual([503, { 'Retry-After': '2' }]);
    await Promise.allSettled(waiting);
    expect(refused[0]).toBe('list overload');
  });

  it('admits more requests of a kind that was cheaper than expected', async () => {
    for (let round = 0; round < 40; round += 1) (await ask('a')).ended([took(1)]);
    const places = await Promise.all(Array.from({ length: 30 }, () => ask('a')));
    expect(places).toHaveLength(30);
  });

  it('admits fewer requests of a kind that was more expensive than expected', async () => {
    (await ask('a')).ended([took(500)]);
    await ask('a');
    expect(await statusOf(ask('b'))).toEqual([503, { 'Retry-After': '2' }]);
  });

  it('releases the slot of a request that ended before a service was called', async () => {
    for (let round = 0; round < 10; round += 1) (await ask('a')).ended([]);
    expect(await statusOf(ask('a'))).toBe(200);
  });
});
