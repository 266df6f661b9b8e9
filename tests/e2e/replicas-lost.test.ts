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
}, 120_000);

afterAll(() => bench.cluster.stop(), 60_000);

const someOf = (part: Part): Pod => {
  const [pod] = bench.cluster.workloads[part].pods;
  if (pod === undefined) throw new Error(`no ${part}`);
  return pod;
};

const untilOut = (part: Part, { name, port }: Pod): Promise<unknown> =>
  eventually(
    () => bench.cluster.workloads[part].service.ready.includes(port),
    (isIn) => !isIn,
    { within: 20_000, what: `${name} out of service` },
  );

/** What was lost once the replica was out of service, after what had begun before had its time to end. */
const expectHealth = async (): Promise<void> => {
  await eventually(
    async () => {
      bench.load.look();
      await sleep(1000);
      return bench.load.look();
    },
    ({ lost, wrong }) => lost.length === 0 && wrong.length === 0,
    { within: 15_000, every: 0, what: 'second in which nothing is lost' },
  );
};

describe('a replica that is killed', () => {
  it.each<Part>(PARTS)(
    '%s: nothing is answered wrongly, and all is well again',
    async (part) => {
      bench.load.look();
      const pod = someOf(part);
      pod.signal('SIGKILL');
      await untilOut(part, pod);
      await bench.cluster.workloads[part].untilWhole();
      const { wrong, lost, requests } = bench.load.look();
      process.stdout.write(
        `${part} killed: ${String(lost.length)} of ${String(requests)} lost\n${lost.slice(0, 5).join('\n')}\n`,
      );
      expect(wrong).toEqual([]);
      await expectHealth();
    },
    60_000,
  );
});

describe('a replica that is frozen', () => {
  it.each<Part>(PARTS)(
    '%s: nothing is answered wrongly or later than after ten seconds, also when it goes on',
    async (part) => {
      bench.load.look();
      const pod = someOf(part);
      pod.signal('SIGSTOP');
      await untilOut(part, pod);
      await sleep(2000);
      pod.signal('SIGCONT');
      await bench.cluster.workloads[part].untilWhole();
      const { wrong, lost, requests } = bench.load.look();
      process.stdout.write(
        `${part} frozen: ${String(lost.length)} of ${String(requests)} lost\n${lost.slice(0, 5).join('\n')}\n`,
      );
      expect(wrong).toEqual([]);
      await expectHealth();
    },
    60_000,
  );
});

describe('afterwards', () => {
  it('what was acknowledged is there, once', async () => {
    expect(await bench.untruths()).toEqual([]);
  }, 60_000);
});
