import { beforeAll, describe, expect, it } from '@jest/globals';
import { type LoadedPolicy } from '../policy-options.js';
import { buildHostile } from '../testing/hostile.js';
import { assignmentOf, examine, type Examination, ownSetting } from './examine.js';
import { sentenceOf } from './report.js';
import { merged, split } from './threads.js';

let hostile: (gift: string) => LoadedPolicy;
beforeAll(async () => {
  hostile = await buildHostile();
}, 30_000);

function examined(gift: string, ownSwitches = true): Promise<Examination> {
  const policy = hostile(gift);
  return examine(policy, assignmentOf(policy, [], ownSwitches), () => undefined);
}

const brokenBy = (gift: string, { findings }: Examination): readonly (readonly string[])[] =>
  findings.flatMap(({ name, smallest }) =>
    smallest === undefined
      ? []
      : [[name, sentenceOf(smallest.first, ownSetting(hostile(gift))), smallest.because]],
  );

describe('a policy that refuses everything', () => {
  it('breaks no invariant', async () => {
    const { findings } = await examined('none', false);
    expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
    expect(findings).toHaveLength(15);
    expect(findings.filter(({ looked }) => looked === 0).map(({ name }) => name)).toEqual([
      'lists-show-only-what-get-shows',
    ]);
  }, 30_000);
});

describe('each invariant, and no other, is broken by a policy that gives', () => {
  it.each([
    [
      'third-parties-reach-no-node',
      'member, project, asks baremetal:node:get of a node of others; switches as in the bundle',
      'it is allowed, by gift',
    ],
    [
      'third-parties-reach-nothing-owned',
      'reader, project, asks baremetal:allocation:get of an allocation of others; switches as in the bundle',
      'it is allowed, by gift',
    ],
    [
      'lists-stay-in-the-project',
      'reader, project, asks baremetal:node:list of nothing in particular; switches as in the bundle',
      'the filter lets rows with owner elsewhere through',
    ],
    [
      'projects-enrol-no-nodes',
      'admin, project, asks baremetal:node:delete of a node that it owns; switches as in the bundle',
      'it is allowed, by gift',
    ],
    [
      'projects-create-for-themselves',
      'member, project, asks baremetal:allocation:create of nothing in particular, writing owner = other-owner; switches as in the bundle',
      'it is allowed, by gift',
    ],
    [
      'readers-change-nothing',
      'reader, project, asks baremetal:node:set_power_state of a node that it owns; switches as in the bundle',
      'it is allowed, by gift',
    ],
    [
      'services-build-no-fleet',
      'service, system, asks baremetal:port:create of a port of others; switches as in the bundle',
      'it is allowed, by gift',
    ],
    [
      'no-relation-no-access',
      'nobody in particular (no role), domain, asks baremetal:node:get of a node of others; switches as in the bundle',
      'it is allowed, by gift',
    ],
    [
      'old-roles-count-for-nothing',
      'baremetal_observer, system, asks baremetal:node:get of a node of others; switches as in the bundle',
      'it is allowed, by gift',
    ],
    [
      'masked-is-not-writable',
      'member, system, asks baremetal:node:update of a node of others; switches as in the bundle',
      'driver_info is masked, but not read-only',
    ],
    [
      'allowed-is-visible',
      'reader, system, asks baremetal:node:get of a node of others; switches as in the bundle',
      'it is allowed, but not visible',
    ],
    [
      'stronger-covers-weaker',
      'member, system, asks baremetal:node:get of a node of others; switches as in the bundle',
      'it is not visible, where it was',
    ],
    [
      'more-roles-never-less',
      'reader and service, system, asks baremetal:node:get of a node of others; switches as in the bundle',
      'it is not visible, where it was',
    ],
    [
      'null-ids-match-nobody',
      'reader, system, asks baremetal:node:get of a node without owner and lessee; switches as in the bundle',
      'it is allowed, by gift',
    ],
    [
      'lists-show-only-what-get-shows',
      'reader, system, asks baremetal:node:get of a node of others; switches as in the bundle',
      'a row is listed (neither) that its own get refuses',
    ],
  ])(
    '%s, reported with its smallest question',
    async (name, sentence, because) => {
      expect(brokenBy(name, await examined(name))).toEqual([[name, sentence, because]]);
    },
    30_000,
  );
});

describe('a service project that is matched carelessly', () => {
  const namesakesReached = async (gift: string): Promise<readonly string[]> => {
    const { findings } = await examined(gift, false);
    return findings.flatMap(({ name, smallest }) =>
      smallest === undefined ? [] : [`${name}: ${smallest.first.query.scope.name}`],
    );
  };

  it.each([
    ['name-without-domain', 'namesake in another domain'],
    ['id-taken-for-a-name', 'namesake by id'],
  ])(
    '%s is found by what it gives to a %s',
    async (gift, namesake) => {
      expect(await namesakesReached(gift)).toEqual([`third-parties-reach-no-node: ${namesake}`]);
    },
    30_000,
  );
});

describe('a run', () => {
  it('fails on an answer that is not a decision', async () => {
    await expect(examined('no answer at all')).rejects.toThrow('answer is not a decision');
  });

  it('evaluates only the selected actions, and refuses unknown ones', async () => {
    const policy = hostile('none');
    const one = assignmentOf(policy, ['baremetal:node:list'], false);
    // 13 role sets in 10 scopes under 16 sets of switches
    expect((await examine(policy, one, () => undefined)).questions).toBe(2080);
    expect(() => assignmentOf(policy, ['baremetal:no:such'], true)).toThrow(
      'has no action baremetal:no:such',
    );
  });

  it('reports its progress', async () => {
    const policy = hostile('none');
    const shares: number[] = [];
    await examine(policy, assignmentOf(policy, [], true), (_questions, share) => {
      shares.push(share);
    });
    expect(shares).toHaveLength(10);
    expect(shares.at(-1)).toBe(1);
  });

  it('has the same findings in parts as in one run', async () => {
    const policy = hostile('third-parties-reach-no-node');
    const whole = assignmentOf(policy, ['baremetal:node:get'], false);
    const parts = split(whole, 3);
    expect(parts.map(({ settings }) => settings.length)).toEqual([6, 5, 5]);
    const examinations = [];
    for (const part of parts.toReversed())
      examinations.push(await examine(policy, part, () => undefined));
    expect(merged(examinations)).toEqual(await examine(policy, whole, () => undefined));
  });
});
