import { expect, it } from '@jest/globals';
import {
  type HistoryEntry,
  type StoredState,
  revisionsOf,
  sinceOf,
  withEntry,
  withPin,
} from './stored-state.js';

const revision = (digit: string): string => `sha256:${digit.repeat(64)}`;
const entry = (digit: string, outcome: HistoryEntry['outcome'] = 'activated'): HistoryEntry => ({
  revision: revision(digit),
  at: `2026-11-21T06:00:0${digit}.000Z`,
  source: 'bundle.tar.gz',
  trigger: 'poll',
  outcome,
});
const state: StoredState = {
  last_good: revision('3'),
  history: [entry('4', 'refused'), entry('3'), entry('2')],
};

it('keeps the newest entries', () => {
  expect(withEntry(state, entry('5'), 2).history).toEqual([entry('5'), entry('4', 'refused')]);
});

it('needs the bundles that were in service, and the pinned one however old', () => {
  expect(revisionsOf(withPin(state, revision('1')))).toEqual(
    new Set([revision('1'), revision('3'), revision('2')]),
  );
});

it('forgets the pin', () => {
  expect(withPin(withPin(state, revision('1')), undefined)).toEqual(state);
});

it('knows since when the last good one has been in service, refusals aside', () => {
  expect(sinceOf(state, revision('3'))).toEqual(new Date('2026-11-21T06:00:03Z'));
  expect(sinceOf(state, revision('2'))).toBeUndefined();
  expect(sinceOf({ history: [] }, revision('2'))).toBeUndefined();
});
