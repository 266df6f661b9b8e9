import { describe, expect, it } from '@jest/globals';
import { retentionOf } from './retention.js';

const GIB = 1024 ** 3;
const settings = (days: number, space: number, project = 0) =>
  retentionOf({
    decisionLogKeepDays: days,
    decisionLogSpaceBytes: space,
    decisionLogProjectBytesPerDay: project,
  });

describe('the retention settings', () => {
  it('give a project half of the space of a day: about 820,000 records of 1.45 KB by default', () => {
    // (32 GiB - 1 GiB) / 14 days / 2
    expect(settings(14, 32 * GIB)).toEqual({
      keepMs: 1_209_600_000,
      spaceBytes: 34_359_738_368,
      reserveBytes: 1_073_741_824,
      projectBytesPerDay: 1_188_785_590,
    });
  });

  it('reserve a tenth of a small space', () => {
    expect(settings(7, 8 * GIB)).toMatchObject({
      reserveBytes: 858_993_459,
      projectBytesPerDay: 552_210_080,
    });
  });

  it('contain the configured share of a project', () => {
    expect(settings(7, 8 * GIB, 60_000).projectBytesPerDay).toBe(60_000);
  });
});
