import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from '../support/cluster/bench.js';
import { type Part } from '../support/tenure.js';
import { sleep } from '../support/wait.js';

// Several replicas of each part behind an ingress, with callers whose every answer is predictable. Nothing is lost while each part is
// replaced by a new release of itself, as Kubernetes does it.

const PARTS = ['gateway', 'pdp', 'inventory', 'conductor', 'allocation', 'compute'] as const;

/** Every request is to be answered, so a busy machine must not be the reason why one is not. */
const LONG_DEADLINES = {
  GATEWAY_TENANCY_DEADLINE_MS: '3500',
  GATEWAY_DECISION_DEADLINE_MS: '3500',
};
/** Fewer prove nothing. */
const MANY = 50;

let bench: Bench;

beforeAll(async () => {
  bench = await openBench('replicas-rolling', LONG_DEADLINES);
});

afterAll(() => bench.cluster.stop(), 60_000);

describe('under steady load', () => {
  it('each answer is right', async () => {
    let requests = 0;
    while (requests < 200) {
      await sleep(500);
      const seen = bench.load.look();
      expect([seen.wrong, seen.lost]).toEqual([[], []]);
      requests += seen.requests;
    }
  }, 60_000);

  it.each<Part>(PARTS)(
    'a new release of %s loses no request, and changes no answer',
    async (part) => {
      const before = bench.cluster.workloads[part].pods.map(({ port }) => port);
      await bench.cluster.workloads[part].roll();
      const after = bench.cluster.workloads[part].pods.map(({ port }) => port);
      const { requests, wrong, lost } = bench.load.look();
      expect([wrong, lost]).toEqual([[], []]);
      expect(requests).toBeGreaterThan(MANY);
      expect(after).toHaveLength(before.length);
      expect(after.filter((port) => before.includes(port))).toEqual([]);
    },
    120_000,
  );

  it('what was acknowledged is there, once', async () => {
    expect(await bench.untruths()).toEqual([]);
  }, 60_000);

  it('no part failed, and each that was replaced ended by itself', () => {
    const lines = bench.cluster.log().split('\n');
    expect(lines.filter((line) => /"level":[56]0/u.test(line))).toEqual([]);
    expect(lines.filter((line) => line.includes('"msg":"stopped"'))).toHaveLength(14);
  });
});
