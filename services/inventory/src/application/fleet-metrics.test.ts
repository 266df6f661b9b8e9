import { describe, expect, it } from '@jest/globals';
import { counted } from './fleet-metrics.js';

const SILENT = { debug: () => undefined };

describe('a count of the fleet', () => {
  it('is made anew after ten seconds, and cached for a minute when it cannot be', async () => {
    let second = 0;
    let alive: number | undefined = 3;
    const count = () =>
      alive === undefined ? Promise.reject(new Error('away')) : Promise.resolve({ alive });
    const metrics = counted(count, SILENT, () => second * 1000);
    const at = (moment: number) => {
      second = moment;
      return metrics();
    };
    expect(await at(0)).toEqual({ alive: 3 });
    alive = 4;
    expect(await at(9)).toEqual({ alive: 3 });
    expect(await at(10)).toEqual({ alive: 4 });
    alive = undefined;
    expect(await at(70)).toEqual({ alive: 4 });
    expect(await at(81)).toEqual({});
    alive = 5;
    expect(await at(91)).toEqual({ alive: 5 });
  });
});
