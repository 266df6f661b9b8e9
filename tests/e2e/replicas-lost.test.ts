import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from '../support/cluster/bench.js';
import { type Pod } from '../support/cluster/pod.js';
import { type Part } from '../support/tenure.js';
import { eventually, sleep } from '../support/wait.js';

// One replica of each part dies, or freezes, under load: what it was at may fail, with 502, 503, 504 or a broken connection; nothing
// is answered wrongly, and all is well again without help.

const PARTS = ['gateway', 'pdp', 'inventory', 'conductor', 'allocation', 'compute'] as const;

let bench: Bench;

beforeAll(async () => {
  bench = await openBench('replicas-lost');
});

afterAll(() => bench.cluster.stop(), 60_000);

function someOf(part: Part): Pod {
  const [pod] = bench.cluster.workloads[part].pods;
  if (pod === undefined) throw new Error(`no ${part}`);
  return pod;
}

const untilOut = (part: Part, { name, port }: Pod): Promise<unknown> =>
  eventually(
    () => bench.cluster.workloads[part].service.ready.includes(port),
    (isIn) => !isIn,
    { within: 20_000, what: `${name} out of service` },
  );

/**
 * Collects wrong answers until a whole second has passed in which nothing was lost.
 */
async function wrongUntilHealthy(): Promise<readonly string[]> {
  const wrong: string[] = [];
  await eventually(
    async () => {
      wrong.push(...bench.load.look().wrong);
      await sleep(1000);
      const last = bench.load.look();
      wrong.push(...last.wrong);
      return last;
    },
    ({ lost, requests }) => lost.length === 0 && requests > 10,
    { within: 15_000, every: 0, what: 'second in which nothing is lost' },
  );
  return wrong;
}

describe('a replica that is killed', () => {
  it.each<Part>(PARTS)(
    '%s: nothing is answered wrongly, and all is well again',
    async (part) => {
      const pod = someOf(part);
      pod.signal('SIGKILL');
      await untilOut(part, pod);
      await bench.cluster.workloads[part].untilWhole();
      expect(await wrongUntilHealthy()).toEqual([]);
    },
    60_000,
  );
});

describe('a replica that is frozen', () => {
  it.each<Part>(PARTS)(
    '%s: nothing is answered wrongly or later than after ten seconds, also when it goes on',
    async (part) => {
      const pod = someOf(part);
      pod.signal('SIGSTOP');
      await untilOut(part, pod);
      await sleep(2000);
      pod.signal('SIGCONT');
      await bench.cluster.workloads[part].untilWhole();
      expect(await wrongUntilHealthy()).toEqual([]);
    },
    60_000,
  );
});

describe('afterwards', () => {
  it('what was acknowledged is there, once', async () => {
    expect(await bench.untruths()).toEqual([]);
  }, 60_000);
});
