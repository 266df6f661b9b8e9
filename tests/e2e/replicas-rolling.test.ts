import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from '../support/cluster/bench.js';
import { type Part } from '../support/tenure.js';
import { sleep } from '../support/wait.js';

// Several replicas of each part behind an ingress, with callers whose every answer is known. Nothing is lost while each part is
// replaced by a new release of itself, as Kubernetes does it.

const PARTS = ['gateway', 'pdp', 'inventory', 'conductor', 'allocation', 'compute'] as const;

let bench: Bench;

beforeAll(async () => {
  bench = await openBench('replicas-rolling');
}, 120_000);

afterAll(() => bench.cluster.stop(), 60_000);

describe('under steady load', () => {
  it('each answer is right', async () => {
    await sleep(4000);
    const { requests, wrong, lost } = bench.load.look();
    expect([wrong, lost]).toEqual([[], []]);
    expect(requests).toBeGreaterThan(100);
  });

  it.each<Part>(PARTS)(
    'a new release of %s loses no request, and changes no answer',
    async (part) => {
      const before = bench.cluster.workloads[part].pods.map(({ port }) => port);
      await bench.cluster.workloads[part].roll();
      const after = bench.cluster.workloads[part].pods.map(({ port }) => port);
      const { requests, wrong, lost } = bench.load.look();
      expect([wrong, lost]).toEqual([[], []]);
      expect(requests).toBeGreaterThan(100);
      expect(after).toHaveLength(before.length);
      expect(after.filter((port) => before.includes(port))).toEqual([]);
    },
    120_000,
  );

  it('what was acknowledged is there, once', async () => {
    expect(await bench.untruths()).toEqual([]);
  }, 60_000);
});
