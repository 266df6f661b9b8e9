import { nodeOf } from '../fleet.js';
import { sleep } from '../wait.js';
import { type Moment, type Point } from './counting-proxy.js';
import {
  type Case,
  complaintsAbout,
  type CrashBench,
  killPart,
  type Node,
  persistedIn,
  type Attempt,
} from './crash-bench.js';
import { type Ending, type Order } from './orders.js';

/** How many writes an order makes when nobody dies, and after how many milliseconds each comes. */
interface Steps {
  readonly order: Order;
  readonly arrivals: readonly number[];
}

interface Tally {
  /** `order, write n, before or after: what is wrong`. */
  readonly complaints: string[];
  /** Persisted steps at which everything died. */
  covered: number;
}

/** The parts that die at a point. */
type Victims = 'conductor' | 'inventory' | 'both';

const MOMENTS: readonly Moment[] = ['before', 'after'];
const AT_ONCE = 24;
/** Writes that come so far apart, milliseconds, are not stopped in one round. */
const APART_MS = 900;
const TRIES = 6;
/** Looks at a node that is not yet as it has to be, and milliseconds between them. */
const LOOKS = 40;
const LOOK_MS = 500;

interface Fact {
  readonly one: Case;
  /** Writes that the inventory had when everything died for the first time. */
  readonly written: number;
}

export interface RoundOptions {
  readonly victims?: Victims;
  /** The conductor stays dead until all nodes are stable: another one takes over. */
  readonly isSucceeded?: true;
  /** Points after the restart, at which the conductor dies again; assigned to the nodes round robin. */
  readonly again?: readonly Point[];
  /** The number of nodes, each at its own persisted step when everything dies. */
  readonly atOnce?: number;
}

interface Timed extends Attempt {
  readonly at: number;
}

/** One death, each node at the point that the test chose for it. */
export async function dieOnce(
  bench: CrashBench,
  attempts: readonly Attempt[],
  options: RoundOptions,
): Promise<Tally> {
  const tally: Tally = { complaints: [], covered: 0 };
  await round(bench, attempts, options, tally);
  return tally;
}

/**
 * Everything dies at every persisted step of every order, before and after the write, each on a node of its own.
 * @returns what is wrong, and how many points were covered
 */
export async function dieAtEveryStep(
  bench: CrashBench,
  orders: readonly Order[],
  options: RoundOptions = {},
): Promise<Tally> {
  const tally: Tally = { complaints: [], covered: 0 };
  let waiting = attemptsOf(await stepsOf(bench, orders));
  for (let stuck = 0; waiting.length > 0 && stuck < TRIES;) {
    const attempts = nextOf(waiting, options.atOnce ?? AT_ONCE);
    const missed = await round(bench, attempts, options, tally);
    stuck = missed.length === attempts.length ? stuck + 1 : 0;
    const left = waiting.filter((one) => !attempts.includes(one));
    waiting = [...left, ...attempts.filter((one) => missed.includes(one))];
  }
  const never = waiting.map(
    ({ order, point }) => `${order.name}: never came to write ${String(point.n)}`,
  );
  tally.complaints.push(...never);
  return tally;
}

/** One death, each node at a point of its own. Returns the attempts that did not reach their point in time. */
async function round(
  bench: CrashBench,
  attempts: readonly Attempt[],
  { victims = 'conductor', again, isSucceeded }: RoundOptions,
  tally: Tally,
): Promise<readonly Attempt[]> {
  const cases = await bench.begin(attempts);
  const stopped = await bench.untilStopped(cases);
  await kill(bench, victims);
  const facts = stopped.map((one) => ({
    one,
    written: persistedIn(one.watch.writes),
  }));
  tally.covered += again === undefined ? stopped.length : await dieAgain(bench, facts, again);
  if (victims !== 'inventory' && isSucceeded !== true) await bench.conductor.start();
  const nodes = await bench.untilStable(cases);
  if (isSucceeded === true) await bench.conductor.start();
  for (const fact of facts) {
    const node = nodes.get(fact.one.subject.node.uuid);
    tally.complaints.push(
      ...(victims === 'inventory'
        ? await complaintsOfSurvivor(bench, fact.one, node)
        : await complaintsOfDead(bench, fact, node)),
    );
  }
  return attempts.filter((_, index) => !stopped.some((one) => one === cases[index]));
}

async function kill(bench: CrashBench, victims: Victims): Promise<void> {
  const { tenure, proxy, conductor } = bench;
  // Silent, so that nothing gets through between one death and the other.
  proxy.silence(true);
  await Promise.all([
    victims === 'inventory' ? undefined : conductor.kill(),
    victims === 'conductor' ? undefined : killPart(tenure, 'inventory'),
  ]);
  proxy.drop();
  proxy.silence(false);
}

/** The conductor is started, and dies at a point of its recovery. Returns how many nodes stood at theirs. */
async function dieAgain(
  bench: CrashBench,
  facts: readonly Fact[],
  again: readonly Point[],
): Promise<number> {
  const resumed = facts.filter(({ one, written }) => written >= one.subject.order.writtenWith);
  for (const [index, { one }] of resumed.entries()) one.watch.arm(again[index % again.length]);
  await bench.conductor.start();
  const stopped = await bench.untilStopped(resumed.map(({ one }) => one));
  await kill(bench, 'conductor');
  return stopped.length;
}

/** A conductor that survives goes on; it may take back a change that it could not persist in time. */
async function complaintsOfSurvivor(
  bench: CrashBench,
  one: Case,
  node: Node | undefined,
): Promise<readonly string[]> {
  const { isTaken, complaints } = await heard(one);
  const unlikeEither = async (now: Node | undefined): Promise<readonly string[]> => {
    const isUndone = !isTaken && (await say(bench, one, now, 'before')).length === 0;
    return isUndone ? [] : say(bench, one, now, 'done');
  };
  let wrong = await unlikeEither(node);
  // Where it was taken back, what its beginning entailed (a handover) is still under way, with pauses between its steps.
  for (let looks = 0; looks < LOOKS && !isTaken && wrong.length > 0; looks += 1) {
    await sleep(LOOK_MS);
    wrong = await unlikeEither(await nodeOf(bench.tenure, one.subject.node.uuid));
  }
  return [...complaints, ...wrong];
}

async function complaintsOfDead(
  bench: CrashBench,
  fact: Fact,
  node: Node | undefined,
): Promise<readonly string[]> {
  const { one } = fact;
  const ending = promised(fact);
  const { isTaken, complaints } = await heard(one);
  const lost = isTaken && ending === 'before' ? [`${nameOf(one)}: acknowledged, and lost`] : [];
  return [...complaints, ...lost, ...(await say(bench, one, node, ending))];
}

/** Whether the client's order was accepted; complaints about any answer that is neither that nor a 50x. */
async function heard(
  one: Case,
): Promise<{ readonly isTaken: boolean; readonly complaints: readonly string[] }> {
  const status = await one.answer;
  const isTaken = status === one.subject.order.answer;
  const isOdd = !isTaken && !isRefusal(status);
  return { isTaken, complaints: isOdd ? [`${nameOf(one)}: answered ${String(status)}`] : [] };
}

async function say(
  { tenure }: CrashBench,
  one: Case,
  node: Node | undefined,
  ending: Ending,
): Promise<readonly string[]> {
  if (node === undefined) return [`${nameOf(one)}: the node was deleted`];
  const wrong = await complaintsAbout(tenure, one, node, ending);
  return wrong.map((what) => `${nameOf(one)}: not as ${ending}: ${what}`);
}

const isRefusal = (status: number | undefined): boolean =>
  status === undefined || status === 502 || status === 503 || status === 504;

const nameOf = ({ subject, point }: Case): string =>
  point === undefined
    ? subject.order.name
    : `${subject.order.name}, ${point.moment} write ${String(point.n)}`;

/** Any part but the inventory dies: a persisted order is carried out, any other has no effect. */
const promised = ({ one, written }: Fact): Ending =>
  written < one.subject.order.writtenWith ? 'before' : 'done';

/** Every persisted step of every order, before and after, earliest first. */
const attemptsOf = (steps: readonly Steps[]): readonly (Attempt & { readonly at: number })[] =>
  steps
    .flatMap(({ order, arrivals }) =>
      arrivals.flatMap((at, index) =>
        MOMENTS.map((moment) => ({ order, point: { n: index + 1, moment }, at })),
      ),
    )
    .toSorted((one, other) => one.at - other.at);

/** Lets each order run through; the writes that it makes are the points at which it is to be stopped. */
async function stepsOf(bench: CrashBench, orders: readonly Order[]): Promise<readonly Steps[]> {
  const cases = await bench.begin(orders.map((order) => ({ order })));
  const answers = await Promise.all(cases.map(({ answer }) => answer));
  const nodes = await bench.untilStable(cases);
  const complaints = await Promise.all(
    cases.map(async (one, index) => {
      const { order, node } = one.subject;
      const said =
        answers[index] === order.answer ? [] : [`${order.name}: ${String(answers[index])}`];
      return [...said, ...(await say(bench, one, nodes.get(node.uuid), 'done'))];
    }),
  );
  if (complaints.flat().length > 0) throw new Error(complaints.flat().join('\n'));
  return cases.map(({ subject, watch }) => ({
    order: subject.order,
    arrivals: watch.writes.map(({ at }) => at),
  }));
}

/** The next attempts whose points come about the same time. */
function nextOf(waiting: readonly Timed[], atOnce: number): readonly Timed[] {
  const first = waiting[0]?.at ?? 0;
  return waiting.slice(0, atOnce).filter(({ at }) => at - first < APART_MS);
}
