import { describe, expect, it } from '@jest/globals';
import { CaseFailed } from '@tenure/policy';
import { type DesiredRevision } from '../../domain/desired-revision.js';
import { type StoredState } from '../../domain/stored-state.js';
import { letterRevision, partsOf, verifiedAs } from '../../testing/letter-policies.js';
import { originsOf, started } from './first-policy.js';
import { transition } from './machine.js';
import {
  type ActivationEvent,
  type ActivationState,
  type Candidate,
  type Step,
  troubleNow,
} from './state.js';

const [A, B, C] = [letterRevision('a'), letterRevision('b'), letterRevision('c')];
const now = new Date('2026-11-21T06:00:00Z');
const settings = { source: 'somewhere', keep: 3, now };

const policyAs = (revision: string) => ({
  engine: { evaluate: () => undefined, lastCost: () => 0, memoryPages: () => 0 },
  revision,
  actions: {},
  resources: {},
});
const verified = (letter: string) => verifiedAs(letterRevision(letter), partsOf(letter));

const idle: ActivationState = {
  active: { policy: policyAs(A), verified: verified('a'), source: 'somewhere', since: now },
  candidate: undefined,
  stored: { last_good: A, history: [] },
  fingerprint: 'one',
  refused: undefined,
  away: undefined,
  unmet: undefined,
};
const storing = (stored: Partial<StoredState>, state = idle): ActivationState => ({
  ...state,
  stored: { ...state.stored, ...stored },
});
const trying = (candidate: Candidate, state = idle): ActivationState => ({ ...state, candidate });
const desiring = (pinned: string | null, generation = 1): DesiredRevision => ({
  ...{ generation, pinned },
  at: '2026-11-21T05:00:00Z',
  by: 'pdp-1',
});
const old = { reason: 'old' };

const reloading = trying({ cause: 'command', source: 'somewhere', trigger: 'push' });
const polling = trying({ cause: 'poll', source: 'somewhere', trigger: 'poll' });
const rollback = { source: 'history', trigger: 'rollback', pin: B } as const;
const rollingBack = trying({ cause: 'command', ...rollback });
const following = trying({ cause: 'desired', ...rollback }, storing({ desired: desiring(B) }));
const unpinning = trying(
  { cause: 'desired', source: 'somewhere', trigger: 'push' },
  storing({ desired: desiring(null), pinned: A }),
);

/** The step in a line: its effects, then its query or its outcome. */
const lineOf = ({ effects, next }: Step): string =>
  [
    ...effects.map((effect) => effect.do),
    'outcome' in next ? `= ${next.outcome}` : `? ${next.query}`,
  ].join(', ');

const boom = new CaseFailed('owners see', 'owners do not see');
const fingerprint = (text: string): ActivationEvent => ({ type: 'fingerprint', fingerprint: text });

type Row = [string, ActivationState, ActivationEvent, string];

describe('commands', () => {
  it.each<Row>([
    ['a reload asks the source', idle, { type: 'reload', trigger: 'push' }, '? fingerprint'],
    [
      'a reload asks it also while a policy is pinned',
      storing({ pinned: A }),
      { type: 'reload', trigger: 'unpin' },
      '? fingerprint',
    ],
    ['a rollback looks for the bundle', idle, { type: 'roll back', revision: B }, '? bundle'],
    ['a poll asks the source', idle, { type: 'poll' }, '? fingerprint'],
    ['a poll does nothing while pinned', storing({ pinned: A }), { type: 'poll' }, '= unchanged'],
    [
      'a poll does nothing while the desired revision is not active',
      { ...idle, unmet: { trouble: old, isRefused: false } },
      { type: 'poll' },
      '= unchanged',
    ],
    [
      'a newer desired revision is stored and looked for',
      idle,
      { type: 'desire', desired: desiring(B) },
      'save, ? bundle',
    ],
    [
      'a newer desire for no pin is stored and asks the source',
      storing({ pinned: A, desired: desiring(A) }),
      { type: 'desire', desired: desiring(null, 2) },
      'save, ? fingerprint',
    ],
    [
      'a desired revision that is pinned already does nothing',
      storing({ pinned: A, desired: desiring(A) }),
      { type: 'desire', desired: desiring(A) },
      '= unchanged',
    ],
    [
      'a desired revision that was refused is not tried again',
      { ...storing({ desired: desiring(B) }), unmet: { trouble: old, isRefused: true } },
      { type: 'desire', desired: desiring(B) },
      '= unchanged',
    ],
    [
      'a desired revision whose bundle was missing is tried again',
      { ...storing({ desired: desiring(B) }), unmet: { trouble: old, isRefused: false } },
      { type: 'desire', desired: desiring(B) },
      '? bundle',
    ],
    [
      'a published desired revision is stored',
      idle,
      { type: 'published', desired: desiring(B) },
      'save, = unchanged',
    ],
    [
      'an older published one is not',
      storing({ desired: desiring(A, 7) }),
      { type: 'published', desired: desiring(B) },
      '= unchanged',
    ],
  ])('%s', (_what, state, event, line) => {
    const step = transition(state, event, settings);
    expect(lineOf(step)).toBe(line);
    expect(step.state.active).toBe(state.active);
  });
});

describe('results of a candidate', () => {
  it.each<Row>([
    ['a reload reads what has not changed, too', reloading, fingerprint('one'), '? source'],
    ['a poll ends where nothing has changed', polling, fingerprint('one'), '= unchanged'],
    ['a poll reads what has changed', polling, fingerprint('two'), '? source'],
    [
      'a source that is away is reported',
      polling,
      { type: 'away', error: new Error('refused to connect') },
      'report away, = away',
    ],
    [
      'but once',
      { ...polling, away: old },
      { type: 'away', error: new Error('refused to connect') },
      '= away',
    ],
    ['parts are verified', reloading, { type: 'fetched', parts: partsOf('b') }, '? verify'],
    ['a missing bundle is unknown', rollingBack, { type: 'missing', revision: B }, '= unknown'],
    [
      'an unreadable bundle is refused',
      rollingBack,
      { type: 'unreadable', revision: B, error: boom },
      'report refused, save, = refused',
    ],
    [
      'the active revision stays',
      reloading,
      { type: 'verified', verified: verified('a') },
      'report unchanged, = unchanged',
    ],
    [
      'the active revision is pinned by a rollback to it',
      trying({ cause: 'command', source: 'history', trigger: 'rollback', pin: A }),
      { type: 'verified', verified: verified('a') },
      'report unchanged, save, = unchanged',
    ],
    [
      'another revision is prepared',
      reloading,
      { type: 'verified', verified: verified('b') },
      '? prepare',
    ],
    [
      'a rollback to another revision than its bundle has is refused',
      rollingBack,
      { type: 'verified', verified: verified('c') },
      'report refused, save, = refused',
    ],
    [
      'a prepared policy is stored before it is reported',
      reloading,
      { type: 'prepared', policy: policyAs(B), verified: verified('b') },
      'store bundle, save, report active, = activated',
    ],
    [
      'a rejected one is refused',
      reloading,
      { type: 'rejected', error: boom },
      'report refused, save, = refused',
    ],
  ])('%s', (_what, state, event, line) => {
    expect(lineOf(transition(state, event, settings))).toBe(line);
  });

  it('throw without a candidate', () => {
    expect(() => transition(idle, fingerprint('one'), settings)).toThrow(
      'fingerprint without a candidate',
    );
  });
});

describe('the state after a candidate', () => {
  const prepared: ActivationEvent = {
    type: 'prepared',
    policy: policyAs(B),
    verified: verified('b'),
  };
  const rejected: ActivationEvent = { type: 'rejected', error: boom };
  const missing: ActivationEvent = { type: 'missing', revision: B };
  const away: ActivationEvent = { type: 'away', error: new Error('refused to connect') };
  const bad = { refused: old, unmet: { trouble: old, isRefused: true } };
  const cause = { reason: 'owners do not see', failingCase: 'owners see' };

  it.each<[string, ActivationState, ActivationEvent, object]>([
    ['a reload', reloading, prepared, { active: B }],
    ['a reload of a pinned one', storing({ pinned: A }, reloading), prepared, { active: B }],
    ['a rollback', rollingBack, prepared, { active: B, pinned: B }],
    ['a desired rollback', following, prepared, { active: B, pinned: B }],
    ['a desired reload', unpinning, prepared, { active: B }],
    ['a command ends each trouble', { ...rollingBack, ...bad }, prepared, { active: B, pinned: B }],
    [
      'a desired rollback leaves the trouble of the source',
      { ...following, ...bad },
      prepared,
      { active: B, pinned: B, trouble: old },
    ],
    ['a refusal', reloading, rejected, { active: A, trouble: cause }],
    [
      'a refusal while pinned',
      storing({ pinned: A }, reloading),
      rejected,
      { active: A, pinned: A, trouble: cause },
    ],
    ['a refused rollback is no trouble', rollingBack, rejected, { active: A }],
    ['a refused desired rollback is', following, rejected, { active: A, trouble: cause }],
    ['a refused desired reload unpins', unpinning, rejected, { active: A, trouble: cause }],
    ['a rollback to nothing is no trouble', rollingBack, missing, { active: A }],
    [
      'a desired rollback to nothing is',
      following,
      missing,
      { active: A, trouble: { reason: `no bundle of ${B} is kept` } },
    ],
    ['an absence', polling, away, { active: A, trouble: { reason: 'refused to connect' } }],
    [
      'an absence leaves a refusal',
      { ...polling, refused: old },
      away,
      { active: A, trouble: old },
    ],
    [
      'a source that is back leaves a refusal',
      { ...polling, refused: old, away: old },
      fingerprint('one'),
      { active: A, trouble: old },
    ],
    ['a source that is back', { ...polling, away: old }, fingerprint('one'), { active: A }],
  ])('%s', (_what, from, event, expected) => {
    const { state } = transition(from, event, settings);
    const { pinned } = state.stored;
    const trouble = troubleNow(state);
    expect(state.candidate).toBeUndefined();
    expect({
      active: state.active.policy.revision,
      ...(pinned !== undefined && { pinned }),
      ...(trouble !== undefined && { trouble }),
    }).toEqual(expected);
  });

  it('has the attempt in its history, up to the limit', () => {
    const { stored } = transition(rollingBack, prepared, settings).state;
    expect(stored).toEqual({
      pinned: B,
      last_good: B,
      history: [
        {
          at: '2026-11-21T06:00:00.000Z',
          source: 'history',
          trigger: 'rollback',
          outcome: 'activated',
          revision: B,
          changes: [],
        },
      ],
    });
    const full = storing({ history: [1, 2, 3].flatMap(() => stored.history) }, reloading);
    const { history } = transition(full, rejected, settings).state.stored;
    expect(history).toHaveLength(3);
    expect(history[0]).toEqual({
      at: '2026-11-21T06:00:00.000Z',
      source: 'somewhere',
      trigger: 'push',
      outcome: 'refused',
      reason: 'owners do not see',
      failing_case: 'owners see',
    });
  });
});

describe('the first policy', () => {
  const fromDesired = { from: 'desired', revision: B, source: 'history, as requested at pdp-1' };
  it.each<[string, Parameters<typeof originsOf>, readonly object[]]>([
    ['is of the source', [{ history: [] }, undefined, true], [{ from: 'source' }]],
    [
      'is the last good one when a remote source has none',
      [{ last_good: A, history: [] }, undefined, true],
      [{ from: 'source' }, { from: 'last good', revision: A, source: 'last good' }],
    ],
    [
      'is never the last good one in place of files of this machine',
      [{ last_good: A, history: [] }, undefined, false],
      [{ from: 'source' }],
    ],
    [
      'is the pinned one and no other',
      [{ pinned: C, last_good: A, history: [] }, undefined, true],
      [{ from: 'pinned', revision: C, source: 'history' }],
    ],
    [
      'is the desired one, when it is newer',
      [{ pinned: C, history: [] }, desiring(B), true],
      [fromDesired, { from: 'pinned', revision: C, source: 'history' }],
    ],
    [
      'is of the source when the others were unpinned',
      [{ pinned: C, desired: desiring(C), history: [] }, desiring(null, 2), false],
      [{ from: 'source' }],
    ],
    [
      'is its own when what the others have is older',
      [{ pinned: C, desired: desiring(C, 3), history: [] }, desiring(B, 2), true],
      [{ from: 'pinned', revision: C, source: 'history' }],
    ],
  ])('%s', (_what, given, origins) => {
    expect(originsOf(...given)).toEqual(origins);
  });

  const first = {
    policy: policyAs(B),
    verified: verified('b'),
    source: 'somewhere',
    from: 'source',
    refused: undefined,
    fingerprint: 'one',
  } as const;
  const start = { stored: { history: [] }, desired: undefined, keep: 3, now };

  it('is added to the history when it differs from the one before', () => {
    const { state, effects } = started(first, start);
    expect(effects.map((effect) => effect.do)).toEqual(['report active', 'store bundle', 'save']);
    expect(state.stored).toMatchObject({ last_good: B, history: [{ trigger: 'start' }] });
  });

  it('adds nothing when it is the same, and keeps the time of its activation', () => {
    const entry = { at: '2026-11-20T06:00:00.000Z', source: 'x', trigger: 'poll' } as const;
    const stored: StoredState = {
      last_good: B,
      history: [{ ...entry, outcome: 'activated', revision: B }],
    };
    const { state, effects } = started(first, { ...start, stored });
    expect(effects.map((effect) => effect.do)).toEqual(['report active']);
    expect(state.active.since).toEqual(new Date('2026-11-20T06:00:00Z'));
  });

  it('is pinned when it was desired, and only then', () => {
    const desired = desiring(B);
    const followed = started({ ...first, from: 'desired' }, { ...start, desired }).state;
    expect(followed.stored).toMatchObject({ pinned: B, desired });
    const own = started(first, { ...start, desired }).state;
    expect([own.stored.pinned, own.stored.desired]).toEqual([undefined, undefined]);
  });
});
