import { type Decision } from '@tenure/contracts';
import { isJsonObject, type JsonObject } from './json-object.js';

/** A decision as the policy gives it; the decision point adds the revision. */
export type PolicyAnswer = Omit<Decision, 'revision'>;

const FILTER_MODES: readonly unknown[] = ['all', 'any_of', 'none'];
const MAX_NAMES = 512;
const MAX_NAME_LENGTH = 255;
const MAX_REASON_LENGTH = 64;
const MAX_PREDICATES = 16;

/** Whether this has the members of a decision, whether or not they agree with each other. */
export function hasAnswerShape(value: unknown): value is PolicyAnswer {
  if (!isJsonObject(value)) return false;
  const { allow, visible, reason, grants, denied } = value;
  if (typeof allow !== 'boolean' || typeof visible !== 'boolean') return false;
  if (!isText(reason, MAX_REASON_LENGTH) || !isNames(grants) || !isNames(denied)) return false;
  return hasObligations(value);
}

/**
 * Whether this is a decision (`Decision` in @tenure/contracts, without the revision) that agrees with itself.
 * Written by hand because it runs on every answer; `policy-answer.test.ts` holds it to the schema.
 */
export const isPolicyAnswer = (value: unknown): value is PolicyAnswer =>
  hasAnswerShape(value) && isConsistent(value);

/** Whether this is an object of action and decision. */
export const isBatchAnswer = (value: unknown): value is Readonly<Record<string, PolicyAnswer>> =>
  isJsonObject(value) && Object.values(value).every(isPolicyAnswer);

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= longest;

function isNames(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length > MAX_NAMES) return false;
  for (const name of value as readonly unknown[]) if (!isText(name, MAX_NAME_LENGTH)) return false;
  return true;
}

const hasObligations = (answer: JsonObject): boolean =>
  isFilter(answer['filter']) &&
  isFieldAccess(answer['fields']) &&
  isForced(answer['set']) &&
  isConditions(answer['conditions']) &&
  (answer['deprecated'] === undefined || isNames(answer['deprecated']));

const isFilter = (value: unknown): boolean =>
  isJsonObject(value) &&
  FILTER_MODES.includes(value['mode']) &&
  Array.isArray(value['predicates']) &&
  value['predicates'].length <= MAX_PREDICATES &&
  value['predicates'].every(isPredicate);

const isFieldAccess = (value: unknown): boolean =>
  isJsonObject(value) && isNames(value['masked']) && isNames(value['read_only']);

const isForced = (value: unknown): boolean =>
  isJsonObject(value) && (value['owner'] === undefined || isText(value['owner'], 255));

const isConditions = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length <= MAX_PREDICATES && value.every(isCondition));

const isPredicate = (value: unknown): boolean =>
  isJsonObject(value) &&
  isText(value['field'], 64) &&
  value['op'] === 'eq' &&
  isText(value['value'], 255) &&
  (value['masked'] === undefined || isNames(value['masked']));

const isCondition = (value: unknown): boolean =>
  isJsonObject(value) &&
  isText(value['field'], 64) &&
  (value['op'] === 'null' || (value['op'] === 'ne' && isText(value['value'], 255))) &&
  isText(value['action'], 255);

// An allow that is invisible, that nothing granted, or that names a refused action, contradicts itself.
const isConsistent = ({ allow, visible, grants, denied }: PolicyAnswer): boolean =>
  !allow || (visible && grants.length > 0 && denied.length === 0);
