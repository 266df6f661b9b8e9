import { at, entriesOf } from './entries.js';
import { type Entry, type FinalState } from './history.js';

/** The gateway answers within ten seconds; the rest is the way there and back on a busy machine. */
const DEADLINE_MS = 14_000;

/** Answers that are late, unexpected, wrong, or not in the decision log: one sentence each. */
export const wrongAnswers = (entries: readonly Entry[], end: FinalState): readonly string[] => [
  ...late(entries),
  ...unexpected(entries),
  ...wronglyRefused(entries),
  ...unlogged(entries, end),
];

const late = (entries: readonly Entry[]): readonly string[] =>
  entriesOf(entries, 'request')
    .filter(({ tookMs, isExcused }) => tookMs > DEADLINE_MS && !isExcused)
    .map((entry) => `${at(entry)}: ${entry.line} took ${String(entry.tookMs)} ms`);

/** A 500 says that something happened for which no answer was thought of. */
const unexpected = (entries: readonly Entry[]): readonly string[] =>
  entriesOf(entries, 'request')
    .filter(({ status }) => status === 500)
    .map((entry) => `${at(entry)}: ${entry.line} was answered 500`);

/**
 * All clients of the lab have good tokens, and ask for what they may do or may not see: a 401 or 403 is never right. Parts
 * whose clocks differ refuse each other, which clients see as 502 or 503.
 */
const wronglyRefused = (entries: readonly Entry[]): readonly string[] =>
  entriesOf(entries, 'request')
    .filter(({ status, isClockWrong }) => status === 403 || (status === 401 && !isClockWrong))
    .map((entry) => `${at(entry)}: ${entry.line} was answered ${String(entry.status)}`);

/** An answer names its decision, which was recorded before. */
const unlogged = (entries: readonly Entry[], { logged }: FinalState): readonly string[] =>
  entriesOf(entries, 'request')
    .filter(({ decision }) => decision !== null && !logged.has(decision))
    .map((entry) => `${at(entry)}: the decision ${String(entry.decision)} is not in a log`);
