import { describe, expect, it } from '@jest/globals';
import { accountOf, createAuditShares, type DiskSpace } from './audit-shares.js';

const HOUR = 3_600_000;
/** 144,000 bytes a day: 100 a minute. */
const PER_DAY = 144_000;

function shares(before?: Parameters<typeof createAuditShares>[0]['before']) {
  const state = { now: 0, diskSpace: 'enough' as DiskSpace };
  const made = createAuditShares<string>({
    perDay: PER_DAY,
    diskSpace: () => state.diskSpace,
    now: () => state.now,
    before,
  });
  const refused = (account: string, limit?: number | null) =>
    made.refuse(account, limit, () => `first of ${account}`);
  return { ...made, refused, state };
}

describe('the account of a question in the decision log', () => {
  it.each([
    [{ subject: { project_id: 'p-1', user_id: 'u-1' } }, 'project:p-1'],
    [{ subject: { project_id: null, user_id: 'u-1' } }, 'user:u-1'],
    [{ subject: { project_id: '', user_id: null } }, 'others'],
    [{ subject: { project_id: 'p'.repeat(256), user_id: 7 } }, 'others'],
    [undefined, 'others'],
  ])('%j: %s', (input, account) => {
    expect(accountOf(input)).toBe(account);
  });
});

describe('the share of a project', () => {
  it('may be used at once; above it, questions are refused with the time until a minute of it is free', () => {
    const { refused, charge } = shares();
    charge('project:loud', 143_999);
    expect(refused('project:loud')).toBeUndefined();
    charge('project:loud', 1);
    expect(refused('project:loud')).toBe(60);
    charge('project:loud', 200);
    expect(refused('project:loud')).toBe(180);
  });

  it('is separate: one project does not use the share of another', () => {
    const { refused, charge } = shares();
    charge('project:loud', 10 * PER_DAY);
    expect(refused('project:loud')).toBe(3600);
    expect(refused('project:quiet')).toBeUndefined();
  });

  it('refills evenly over a day', () => {
    const { refused, charge, uses, state } = shares();
    charge('project:loud', PER_DAY);
    state.now = 6 * HOUR;
    expect(refused('project:loud')).toBeUndefined();
    expect(uses()).toEqual([{ account: 'project:loud', used: 108_000, limit: PER_DAY }]);
    state.now = 24 * HOUR;
    expect(uses()).toEqual([]);
  });

  it('does not refill when a clock is set back', () => {
    const { refused, charge, state } = shares();
    state.now = 6 * HOUR;
    charge('project:loud', PER_DAY);
    state.now = 0;
    expect(refused('project:loud')).toBe(60);
  });

  it('may be set for one account, and may be without limit', () => {
    const { refused, charge } = shares();
    charge('project:small', 1000);
    charge('project:nova', 10 * PER_DAY);
    expect(refused('project:small', 1000)).toBe(60);
    expect(refused('project:small', 0)).toBe(3600);
    expect(refused('project:nova', null)).toBeUndefined();
  });

  it('is a tenth while only the reserve of the log is left', () => {
    const { refused, charge, state } = shares();
    charge('project:loud', 14_400);
    charge('project:quiet', 14_399);
    expect(refused('project:loud')).toBeUndefined();
    state.diskSpace = 'reserve';
    expect(refused('project:loud')).toBe(60);
    expect(refused('project:quiet')).toBeUndefined();
  });

  it('keeps its usage after a restart', () => {
    const { refused } = shares({
      at: 0,
      uses: [{ account: 'project:loud', used: PER_DAY, limit: PER_DAY }],
    });
    expect(refused('project:loud')).toBe(60);
  });
});

describe('the report of refusals', () => {
  it('has the number, the time of the first, and the first question for each account', () => {
    const { refused, charge, takeRefused, nearLimit, state } = shares();
    charge('project:loud', 2 * PER_DAY);
    charge('project:near', 0.81 * PER_DAY);
    state.now = 1000;
    for (let n = 0; n < 5; n += 1) refused('project:loud');
    expect(takeRefused()).toEqual([
      { account: 'project:loud', count: 5, since: 1000, first: 'first of project:loud' },
    ]);
    expect(takeRefused()).toEqual([]);
    expect(nearLimit()).toBe(2);
  });

  it('is bounded: beyond ten thousand accounts, the others share one', () => {
    const { refused, charge, uses } = shares();
    for (let n = 0; n < 10_000; n += 1) charge(`user:${n}`, 1000);
    charge('user:one-more', 143_000);
    charge('user:another', 1000);
    expect(uses()).toHaveLength(10_001);
    expect(refused('user:yet-another')).toBe(60);
    expect(refused('user:17')).toBeUndefined();
  });
});
