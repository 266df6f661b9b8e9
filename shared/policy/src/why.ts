import { type JsonObject, memberOf } from './json-object.js';
import { type LoggedAnswer } from './logged-answers.js';
import { grantsOfRows, type NearestMiss, nearestMisses } from './nearest-misses.js';
import { type PolicyAnswer } from './policy-answer.js';

/** Why a decision was made as it was. */
export interface Why {
  readonly action: string;
  readonly allow: boolean;
  readonly reason: string;
  readonly grants: readonly string[];
  readonly nearest_misses: readonly NearestMiss[];
}

/** @throws what `ask` throws */
export function whyOf(
  answer: LoggedAnswer,
  {
    ask,
    data,
  }: { readonly ask: (question: JsonObject) => PolicyAnswer; readonly data: JsonObject },
): Why {
  const { action, question, allow, reason, grants } = answer;
  const misses = allow ? [] : nearestMisses(ask, question, grantsOfRows(data, deniedOf(answer)));
  return { action, allow, reason, grants, nearest_misses: misses };
}

function deniedOf({ action, result }: LoggedAnswer): readonly string[] {
  const denied = memberOf(result, 'denied');
  const actions = Array.isArray(denied) ? denied.filter((name) => typeof name === 'string') : [];
  return actions.length > 0 ? actions : [action];
}
