import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GatewayReplica, startGatewayReplica } from '../support/gateway-replica.js';
import { faultString } from '../support/http-client.js';
import { inProject, type Persona } from '../support/personas.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

const PER_SECOND = 20;

const olga = inProject('limits-a', 'member');
/** The same user in another project, and with another token. */
const olgaElsewhere: Persona = { ...olga, scope: { project: 'limits-b' } };
const theo = inProject('limits-c', 'member');

describe('two gateways that share a Redis', () => {
  let redis: RedisServer;
  let tenure: Tenure;
  let second: GatewayReplica;
  beforeAll(async () => {
    redis = await startRedis();
    tenure = await startTenure('rate-limits', {
      REDIS_URL: redis.url,
      GATEWAY_RATE_LIMIT: String(PER_SECOND),
    });
    second = await startGatewayReplica(tenure);
  });
  afterAll(async () => {
    await second.stop();
    await tenure.stop();
    await redis.stop();
  });

  const get = async (url: string, token: string): Promise<Response> =>
    fetch(`${url}/v1/nodes`, {
      headers: { 'X-Auth-Token': token, 'X-OpenStack-Ironic-API-Version': '1.65' },
      signal: AbortSignal.timeout(10_000),
    });

  interface Load {
    readonly seconds: number;
    readonly good: number;
    readonly limited: number;
    readonly other: readonly number[];
  }
  /** Requests to all of these, 8 at a time to each, for so many milliseconds. */
  const load = async (urls: readonly string[], token: string, forMs: number): Promise<Load> => {
    const statuses: number[] = [];
    const began = performance.now();
    const worker = async (url: string): Promise<void> => {
      while (performance.now() - began < forMs) {
        const response = await get(url, token);
        await response.arrayBuffer();
        statuses.push(response.status);
      }
    };
    await Promise.all(urls.flatMap((url) => Array.from({ length: 8 }, () => worker(url))));
    return {
      seconds: (performance.now() - began) / 1000,
      good: statuses.filter((status) => status === 200).length,
      limited: statuses.filter((status) => status === 429).length,
      other: statuses.filter((status) => status !== 200 && status !== 429),
    };
  };

  const metric = async (name: string, label: string): Promise<number> => {
    const port = tenure.env['GATEWAY_ADMIN_PORT'] ?? '';
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(name) && one.includes(label));
    return Number(line?.split(' ')[1]);
  };
  const isFallback = (): Promise<number> => metric('tenure_gateway_rate_limit_fallback', '');
  const refusals = (): Promise<number> =>
    metric('tenure_gateway_rate_limited_requests_total', 'limit="shared_identity"');

  it('a user who uses both has one limit, and others are not harmed', async () => {
    const tokens = [await tenure.token(olga), await tenure.token(olgaElsewhere)] as const;
    const other = await tenure.token(theo);
    expect((await get(tenure.url, other)).status).toBe(200);
    const harmed: number[] = [];
    const bystander = setInterval(() => {
      void get(second.url, other).then(({ status }) => {
        if (status !== 200) harmed.push(status);
      });
    }, 100);
    const [one, two] = await Promise.all([
      load([tenure.url], tokens[0], 6000),
      load([second.url], tokens[1], 6000),
    ]);
    clearInterval(bystander);
    const good = one.good + two.good;
    const seconds = Math.max(one.seconds, two.seconds);
    // A second's worth at once, and a twentieth of that for each gateway.
    expect(good).toBeLessThanOrEqual(PER_SECOND * (seconds + 1) + 4);
    expect(good).toBeGreaterThan(PER_SECOND * 2);
    expect([...one.other, ...two.other, ...harmed]).toEqual([]);
    expect(one.limited + two.limited).toBeGreaterThan(100);
    expect(await isFallback()).toBe(0);
    expect(await refusals()).toBeGreaterThan(0);
  });

  it("who is limited gets Ironic's error body, and when to come back", async () => {
    const token = await tenure.token(olga);
    await load([tenure.url], token, 500);
    const refused = await eventually(
      () => get(tenure.url, token),
      ({ status }) => status === 429,
      { every: 0, what: 'refusal' },
    );
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(faultString(await refused.text())).toBe('Too many requests; try again shortly.');
  });

  it.each(['frozen', 'stopped'] as const)(
    'with Redis %s each limits alone, and answers everybody',
    async (state) => {
      if (state === 'frozen') redis.freeze();
      else await redis.stop();
      try {
        const other = await tenure.token(theo);
        expect((await get(tenure.url, other)).status).toBe(200);
        const {
          good,
          limited,
          other: odd,
          seconds,
        } = await load([tenure.url], await tenure.token(olga), 5000);
        expect(odd).toEqual([]);
        expect(limited).toBeGreaterThan(100);
        expect(good).toBeLessThanOrEqual(PER_SECOND * (seconds + 1) + 1);
        expect(good).toBeGreaterThan(PER_SECOND);
        expect((await get(second.url, other)).status).toBe(200);
        expect(await isFallback()).toBe(1);
      } finally {
        redis.thaw();
      }
    },
  );
});
