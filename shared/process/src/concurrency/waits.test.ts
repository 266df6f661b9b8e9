import { describe, expect, it } from '@jest/globals';
import { inTime } from './in-time.js';
import { createOutage } from './outage.js';
import { every, repeat } from './repeat.js';
import { doubling, retry } from './retry.js';
import { sleep } from './sleep.js';

const never = new Promise<never>(() => undefined);

describe('sleep', () => {
  it('ends early and quietly when its signal aborts', async () => {
    const stopping = new AbortController();
    const slept = sleep(60_000, stopping.signal);
    stopping.abort();
    await slept;
    await sleep(60_000, stopping.signal);
    expect(stopping.signal.aborted).toBe(true);
  });
});

describe('work with a time limit', () => {
  it('is returned, or fails, when it is in time', async () => {
    const late = () => 'late';
    expect(await inTime(60_000, Promise.resolve('done'), late)).toBe('done');
    await expect(inTime(60_000, Promise.reject(new Error('broken')), late)).rejects.toThrow(
      'broken',
    );
  });

  it('times out with the result that the caller names', async () => {
    expect(await inTime(1, never, () => 'late')).toBe('late');
    const failing = inTime(1, never, () => {
      throw new Error('too late');
    });
    await expect(failing).rejects.toThrow('too late');
  });
});

describe('a repeated task', () => {
  it('runs at once and after each pause, until its signal aborts', async () => {
    const stopping = new AbortController();
    const pauses = [1, 2, 60_000];
    let runs = 0;
    await repeat(
      () => {
        runs += 1;
        if (runs === 3) stopping.abort();
      },
      () => pauses[runs - 1] ?? 0,
      stopping.signal,
    );
    expect(runs).toBe(3);
  });

  it('is stopped when the run under way has ended', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let runs = 0;
    const repetition = every(1, () => {
      runs += 1;
      return promise;
    });
    const stopped = repetition.stop().then(() => runs);
    resolve(undefined);
    expect(await stopped).toBe(1);
  });
});

describe('a retried step', () => {
  const failing = (failures: number) => {
    let attempts = 0;
    return () => {
      attempts += 1;
      if (attempts <= failures) throw new Error(`failure ${String(attempts)}`);
      return attempts;
    };
  };
  const pauses: number[] = [];
  const options = {
    isTransient: () => true,
    pauseMs: doubling(100, 500),
    sleep: (ms: number) => {
      pauses.push(ms);
      return Promise.resolve();
    },
  };

  it('runs until it succeeds, after pauses that double up to the longest', async () => {
    pauses.length = 0;
    expect(await retry(failing(5), options)).toBe(6);
    expect(pauses).toEqual([100, 200, 400, 500, 500]);
  });

  it('fails with its last error when the attempts are used up', async () => {
    await expect(retry(failing(5), { ...options, attempts: 3 })).rejects.toThrow('failure 3');
  });

  it('fails at once when a further attempt is in vain', async () => {
    const isTransient = (_error: unknown, attempt: number) => attempt < 2;
    await expect(retry(failing(5), { ...options, isTransient })).rejects.toThrow('failure 2');
  });
});

describe('an outage', () => {
  const reported: string[] = [];
  const reports = {
    began: (error: unknown) => reported.push(`began: ${String(error)}`),
    ended: () => reported.push('ended'),
  };

  it('is reported once when it begins and once when it ends', () => {
    reported.length = 0;
    const outage = createOutage(reports);
    outage.succeeded();
    outage.failed('first');
    outage.failed('second');
    expect(outage.isOn()).toBe(true);
    outage.succeeded();
    outage.succeeded();
    expect(outage.isOn()).toBe(false);
    expect(reported).toEqual(['began: first', 'ended']);
  });

  it('that is there from the start is reported only when it ends', () => {
    reported.length = 0;
    const outage = createOutage({ ...reports, isOn: true });
    outage.failed('first');
    outage.succeeded();
    expect(reported).toEqual(['ended']);
  });
});
