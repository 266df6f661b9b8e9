import { createHash } from 'node:crypto';
import { memberOf } from '@tenure/policy';

/** Remembers whose questions the policy loops on, so that they do not take everybody's time again and again. */
export interface LoopGuard {
  /** Whether this question is refused without asking. */
  readonly refuses: (input: unknown) => boolean;
  /** The policy ran out of time for it. */
  readonly ranOut: (input: unknown) => void;
}

/** Times in a row that one caller may make the policy loop over one action. */
const PATIENCE = 3;
/** Milliseconds for which the caller then gets no answer for it. */
const PAUSE_MS = 10_000;
/** Callers that are remembered. */
const MOST = 1000;

interface Offence {
  readonly times: number;
  readonly until: number;
}

const keyOf = (input: unknown): string => {
  const subject = memberOf(input, 'subject');
  const who = [memberOf(subject, 'user_id'), memberOf(subject, 'project_id')];
  // A digest, because the names may be as long as a question.
  return createHash('sha256')
    .update(JSON.stringify([memberOf(input, 'action'), ...who]))
    .digest('base64');
};

/** @param now milliseconds, from any start */
export const createLoopGuard = (now: () => number): LoopGuard => {
  const offences = new Map<string, Offence>();
  const recent = (key: string): Offence | undefined => {
    const found = offences.get(key);
    if (found !== undefined && found.until <= now()) {
      offences.delete(key);
      return undefined;
    }
    return found;
  };
  return {
    // Nearly always there is nobody to look for.
    refuses: (input) => offences.size > 0 && (recent(keyOf(input))?.times ?? 0) >= PATIENCE,
    ranOut: (input) => {
      const key = keyOf(input);
      const times = (recent(key)?.times ?? 0) + 1;
      const [oldest] = offences.keys();
      if (offences.size >= MOST && oldest !== undefined) offences.delete(oldest);
      offences.set(key, { times, until: now() + PAUSE_MS });
    },
  };
};
