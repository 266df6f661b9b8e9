import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, imported } from '../support/fleet.js';
import { type GatewayReplica, startGatewayReplica } from '../support/gateway-replica.js';
import { ask } from '../support/http-client.js';
import { replaces } from '../support/patch.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTenure, type Tenure } from '../support/tenure.js';

// An answer of one gateway is true at every other one, at once: no test here waits for anything.

const ROUNDS = 20;

let redis: RedisServer;
let tenure: Tenure;
let second: GatewayReplica;
/** The same Tenure, as one reaches it through each gateway. */
let gateways: readonly [Tenure, Tenure];

const olga = inProject(newProject('olga'), 'admin');
const theo = inProject(newProject('theo'), 'admin');
const projectOf = ({ scope }: Persona): string =>
  typeof scope === 'object' && 'project' in scope ? scope.project : '';

beforeAll(async () => {
  redis = await startRedis();
  tenure = await startTenure('gateway-replicas', {
    REDIS_URL: redis.url,
    // Longer than the whole test: what is remembered is never forgotten by itself.
    GATEWAY_TENANCY_TTL_MS: '60000',
    // A busy machine is not what is tested here.
    PDP_DECISION_LOG: 'none',
    GATEWAY_TENANCY_DEADLINE_MS: '4000',
    GATEWAY_DECISION_DEADLINE_MS: '4000',
  });
  second = await startGatewayReplica(tenure);
  gateways = [tenure, { ...tenure, url: second.url }];
});
afterAll(async () => {
  await second.stop();
  await tenure.stop();
  await redis.stop();
});

const status = async (at: Tenure, who: Persona, line: string, body?: unknown): Promise<number> =>
  (await ask(at, who, line, body === undefined ? {} : { body })).status;

/** The gateway of a round, and the other one. */
const inRound = (round: number): readonly [Tenure, Tenure] =>
  round % 2 === 0 ? gateways : [gateways[1], gateways[0]];

async function give(at: Tenure, { uuid }: FleetNode, member: string, value: string | null) {
  expect(await status(at, systemAdmin, `PATCH /v1/nodes/${uuid}`, replaces(member, value))).toBe(
    200,
  );
}

describe('a machine that changes hands through one gateway', () => {
  it('is at once the new owner’s at the other one, and no more the old one’s', async () => {
    const node = await imported(tenure, availableNode('handed', { owner: projectOf(olga) }));
    const target = `/v1/nodes/${node.uuid}`;
    let [owner, former] = [olga, theo];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [here, there] = inRound(round);
      // Both gateways know, and remember, whose it is.
      expect(await status(here, owner, `GET ${target}`)).toBe(200);
      expect(await status(there, owner, `GET ${target}`)).toBe(200);
      [owner, former] = [former, owner];
      await give(here, node, 'owner', projectOf(owner));
      expect([
        await status(there, former, `GET ${target}`),
        await status(there, owner, `GET ${target}`),
        await status(there, former, `GET ${target}/states`),
        await status(there, former, `PUT ${target}/states/power`, { target: 'power on' }),
        await status(there, former, `PATCH ${target}`, replaces('description', 'mine')),
        await status(there, owner, `PATCH ${target}`, replaces('description', 'mine')),
      ]).toEqual([404, 200, 404, 404, 404, 200]);
    }
  }, 120_000);

  it('is at once the lessee’s at the other one, and no more when it is taken back', async () => {
    const node = await imported(tenure, availableNode('lent', { owner: projectOf(olga) }));
    const target = `/v1/nodes/${node.uuid}`;
    for (let round = 0; round < ROUNDS; round += 1) {
      const [here, there] = inRound(round);
      await give(here, node, 'lessee', projectOf(theo));
      expect(await status(there, theo, `GET ${target}`)).toBe(200);
      expect(await status(here, theo, `GET ${target}`)).toBe(200);
      await give(here, node, 'lessee', null);
      expect([
        await status(there, theo, `GET ${target}`),
        await status(there, theo, `GET ${target}/traits`),
        await status(here, theo, `GET ${target}`),
      ]).toEqual([404, 404, 404]);
    }
  }, 120_000);

  it('is deleted at the other one, too, with the resources that belong to it', async () => {
    for (let round = 0; round < ROUNDS / 4; round += 1) {
      const [here, there] = inRound(round);
      const node = await imported(
        tenure,
        availableNode(`deleted-${round}`, { owner: projectOf(olga), provision_state: 'enroll' }),
      );
      const port = {
        uuid: randomUUID(),
        node_uuid: node.uuid,
        address: `52:54:00:00:00:${String(round + 10)}`,
      };
      await tenure.importDocument({ ports: [port] });
      const targets = [`/v1/nodes/${node.uuid}`, `/v1/ports/${port.uuid}`];
      for (const target of targets) expect(await status(there, olga, `GET ${target}`)).toBe(200);
      expect(await status(here, systemAdmin, `DELETE /v1/nodes/${node.uuid}`)).toBe(204);
      for (const target of targets) expect(await status(there, olga, `GET ${target}`)).toBe(404);
    }
  }, 120_000);
});

/** A gateway on a host whose clock is so many seconds ahead. */
function gatewayAhead(seconds: number): Promise<GatewayReplica> {
  const shift = `Date.now = ((now) => () => now() + ${String(seconds * 1000)})(Date.now)`;
  return startGatewayReplica(tenure, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}`,
  });
}

describe('a gateway whose clock is ahead', () => {
  it.each([
    ['a second', 1, 200],
    ['five seconds', 5, 503],
  ])('by %s (%d s) answers %d', async (_, seconds, expected) => {
    const node = await imported(
      tenure,
      availableNode(`clock-${String(seconds)}`, { owner: projectOf(olga) }),
    );
    const ahead = await gatewayAhead(seconds);
    try {
      const there = { ...tenure, url: ahead.url };
      expect([
        await status(there, olga, `GET /v1/nodes/${node.uuid}`),
        await status(there, olga, 'GET /v1/nodes'),
        await status(tenure, olga, `GET /v1/nodes/${node.uuid}`),
      ]).toEqual([expected, expected, 200]);
    } finally {
      await ahead.stop();
    }
  });
});
