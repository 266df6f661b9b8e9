import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '@tenure/contracts';
import { createAuditLimits } from './audit-limits.js';

const subject = (user_id: string, project_id: string | null) => ({
  user_id,
  project_id,
  system_scope: null,
  domain_id: null,
  roles: [],
});

describe('the limits of the decision log that operators set', () => {
  it('are a project’s own, else the default, and stay while the inventory is unavailable', async () => {
    const answers: unknown[] = [
      { limits: { default: 9, 'project:p-1': 5, 'project:p-2': null, 'user:u-1': 7 } },
      new UnavailableError('away'),
      { limits: { 'project:p-1': -1 } },
      { limits: {} },
    ];
    const warnings: unknown[] = [];
    const limits = createAuditLimits({
      inventory: {
        call: () => {
          const answer = answers.shift();
          return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        },
      },
      logger: { warn: (...line: unknown[]) => warnings.push(line) },
    });
    const limitsNow = () =>
      [
        subject('u-1', 'p-1'),
        subject('u-1', 'p-2'),
        subject('u-1', null),
        subject('u-2', 'p-3'),
      ].map(limits.of);
    expect(limitsNow()).toEqual([undefined, undefined, undefined, undefined]);
    await limits.refresh();
    expect(limitsNow()).toEqual([5, null, 7, 9]);
    await limits.refresh();
    await limits.refresh();
    expect(limitsNow()).toEqual([5, null, 7, 9]);
    expect(warnings).toHaveLength(1);
    await limits.refresh();
    expect(limitsNow()).toEqual([undefined, undefined, undefined, undefined]);
  });
});
