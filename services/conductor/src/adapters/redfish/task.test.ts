import { describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { failureOf } from '../../testing/redfish-bench.js';
import { BmcClient } from './bmc-client.js';
import { BmcCallFailure } from './bmc-error.js';
import { type BmcAnswer } from './bmc-transport.js';
import { type Bmc } from './bmc.js';
import { taskOver } from './task.js';

const MONITOR = '/redfish/v1/TaskService/TaskMonitors/7';

const answered = (
  status: number,
  data: BmcAnswer['data'] = {},
  headers: BmcAnswer['headers'] = {},
): BmcAnswer => ({ status, headers, data });
const refused = (status: number): BmcCallFailure =>
  new BmcCallFailure('answer', `the BMC answered ${String(status)}`, { maybeSent: false, status });
const broken = new BmcCallFailure('unreachable', 'the connection to the BMC broke', {
  maybeSent: true,
});

const TAKEN = answered(202, {}, { location: MONITOR });
const RUNNING = answered(202, { TaskState: 'Running', PercentComplete: 40 });
const DONE = answered(200, { TaskState: 'Completed', TaskStatus: 'OK' });

/** Waits for a task whose looks give these, the last of them for ever. */
async function wait(
  looks: readonly (BmcAnswer | BmcCallFailure)[],
  { first = TAKEN, pollMs = 1, ms = 2000 } = {},
): Promise<readonly string[]> {
  const requests: string[] = [];
  const request: Bmc['request'] = ({ method, path }) => {
    const look = looks[Math.min(requests.length, looks.length - 1)] ?? DONE;
    requests.push(`${method} ${path}`);
    return look instanceof BmcCallFailure ? Promise.reject(look) : Promise.resolve(look);
  };
  // The code under test only reads; any other call would fail the test.
  const bmc = { origin: 'https://bmc.example', request } as Bmc;
  const pace = { firstPollMs: pollMs, slowestPollMs: pollMs, uncertainMs: 1, busyMs: 1 };
  await taskOver(new BmcClient(bmc, deadlineIn(ms)), { pace, what: 'make a volume' }, first);
  return requests;
}
const times = <T>(count: number, look: T): readonly T[] =>
  Array.from({ length: count }, () => look);

describe('a task of the BMC', () => {
  it('is looked at until it is over', async () => {
    expect(await wait([RUNNING, RUNNING, DONE])).toEqual([
      `GET ${MONITOR}`,
      `GET ${MONITOR}`,
      `GET ${MONITOR}`,
    ]);
  });

  it('is looked at as soon as the BMC says, before and after the first look', async () => {
    const soon = { 'retry-after': '0.01' };
    const first = answered(202, {}, { ...soon, location: MONITOR });
    const running = answered(202, { TaskState: 'Running' }, soon);
    expect(await wait([running, DONE], { first, pollMs: 60_000 })).toHaveLength(2);
  });

  it.each([
    ['Exception', undefined],
    ['Killed', undefined],
    ['Cancelled', undefined],
    ['Completed', 'Critical'],
  ])('that ends as %s (%s) is a failure', async (TaskState, TaskStatus) => {
    expect(
      await failureOf(wait([RUNNING, answered(200, { TaskState, TaskStatus })])),
    ).toMatchObject({ kind: 'answer', message: 'the BMC could not make a volume' });
  });

  it('that never ends is a failure at the deadline', async () => {
    expect(await failureOf(wait([RUNNING], { ms: 50 }))).toMatchObject({
      kind: 'timeout',
      message: 'the BMC did not make a volume in time',
    });
  });

  it('that the BMC forgot counts as over, after five looks in a row', async () => {
    expect(await wait([RUNNING, refused(404)])).toHaveLength(6);
    const late = [...times(4, refused(404)), RUNNING, ...times(4, refused(404)), DONE];
    expect(await wait(late)).toHaveLength(10);
  });

  it('is waited for while the BMC restarts', async () => {
    expect(await wait([...times(20, broken), ...times(20, refused(503)), DONE])).toHaveLength(41);
  });

  it('is not looked for at another host', async () => {
    const first = answered(202, {}, { location: `https://other.example${MONITOR}` });
    expect(await wait([DONE], { first })).toEqual([]);
  });

  it('whose BMC refuses the account is not polled again', async () => {
    const waiting = wait([
      new BmcCallFailure('auth', 'the BMC refused the credentials', { maybeSent: false }),
    ]);
    expect(await failureOf(waiting)).toMatchObject({ kind: 'auth' });
  });
});
