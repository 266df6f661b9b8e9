import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDeprecationNotices, type DeprecationNotices } from './deprecation-notices.js';

const actions = {
  'baremetal:node:get': {
    grants: ['system_reader', 'owner_reader'],
    legacy: ['legacy_admin', 'legacy_observer'],
  },
  'baremetal:node:list': { grants: ['project_reader'], all: 'baremetal:node:list_all' },
  'baremetal:node:list_all': { grants: ['system_reader'], legacy: ['legacy_admin'] },
};

let clock: number;
let lines: unknown[];
let counted: string[];
let notices: DeprecationNotices;
beforeEach(() => {
  clock = 0;
  lines = [];
  counted = [];
  notices = createDeprecationNotices({
    logger: { warn: (...line: readonly unknown[]) => lines.push(line) },
    metrics: { deprecatedRuleUsed: (action, grant) => counted.push(`${action} ${grant}`) },
    now: () => clock,
  });
});

function use(action: string, ...grants: readonly string[]): void {
  notices.used({ action, grants, decisionId: 'd' }, actions);
}

const warning = (deprecated: string, uses: number): unknown => [
  {
    action: 'baremetal:node:get',
    deprecated: [deprecated],
    replaced_by: ['system_reader', 'owner_reader'],
    uses,
    decision_id: 'd',
  },
  'deprecated rule used',
];

describe('a deprecated rule', () => {
  it('is warned of at its first use, with the grants that replace it', () => {
    use('baremetal:node:get', 'legacy_admin');
    expect(lines).toEqual([warning('legacy_admin', 1)]);
  });

  it('is warned of once a minute, with the number of uses since', () => {
    for (clock = 0; clock < 60_000; clock += 10_000) use('baremetal:node:get', 'legacy_admin');
    expect(lines).toHaveLength(1);
    use('baremetal:node:get', 'legacy_admin');
    expect(lines[1]).toEqual(warning('legacy_admin', 6));
    clock += 60_000;
    use('baremetal:node:get', 'legacy_admin');
    expect(lines[2]).toEqual(warning('legacy_admin', 1));
  });

  it('does not hide another grant or another action', () => {
    use('baremetal:node:get', 'legacy_admin', 'legacy_observer');
    use('baremetal:node:list_all', 'legacy_admin');
    expect(lines).toHaveLength(3);
  });

  it('is counted at each use, warned of or not', () => {
    use('baremetal:node:get', 'legacy_admin');
    use('baremetal:node:get', 'legacy_admin');
    expect(counted).toEqual(['baremetal:node:get legacy_admin', 'baremetal:node:get legacy_admin']);
  });

  it('of a list is replaced by the row that lifts its filter', () => {
    use('baremetal:node:list', 'legacy_admin');
    expect(lines[0]).toMatchObject([{ replaced_by: ['system_reader'] }, 'deprecated rule used']);
  });

  it('of an action that the table does not have is neither logged nor counted', () => {
    use('toString', 'legacy_admin');
    use('baremetal:no:such', 'legacy_admin');
    expect([lines, counted]).toEqual([[], []]);
  });
});
