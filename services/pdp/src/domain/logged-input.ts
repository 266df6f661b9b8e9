import { Question, QuestionResource, Requested, Subject } from '@tenure/contracts';
import { isJsonObject, type JsonObject } from '@tenure/policy';

const MAX_TEXT = 255;
const MAX_ITEMS = 100;
const CENSORED = '******';
// JSON Web Tokens and Keystone's Fernet tokens: no id or action looks like one.
const TOKEN_SHAPE = /eyJ[\w-]{8,}\.|gAAAAA[\w-]{20,}/;
const SHORTEST_TOKEN = 12;

const SUBJECT_KEYS = Object.keys(Subject.properties);
const RESOURCE_KEYS = Object.keys(QuestionResource.properties);
const REQUESTED_KEYS = Object.keys(Requested.properties);
const QUESTION_KEYS = [...Object.keys(Question.properties), 'actions'];

const loggedText = (text: string): string => {
  if (text.length >= SHORTEST_TOKEN && TOKEN_SHAPE.test(text)) return CENSORED;
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
};

const loggedScalar = (value: unknown): unknown => {
  if (typeof value === 'string') return loggedText(value);
  return typeof value === 'object' ? null : value;
};

const loggedList = (items: readonly unknown[]): readonly unknown[] => {
  const shown = items.slice(0, MAX_ITEMS).map(loggedScalar);
  return items.length > MAX_ITEMS ? [...shown, `… ${items.length - MAX_ITEMS} more`] : shown;
};

const loggedMembers = (value: unknown, keys: readonly string[]): JsonObject | null => {
  if (!isJsonObject(value)) return null;
  const shown: Record<string, unknown> = {};
  for (const key of keys) {
    const member = value[key];
    if (member === undefined || !Object.hasOwn(value, key)) continue;
    shown[key] = Array.isArray(member) ? loggedList(member) : loggedScalar(member);
  }
  return shown;
};

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  subject: SUBJECT_KEYS,
  resource: RESOURCE_KEYS,
  requested: REQUESTED_KEYS,
};

/**
 * What the decision log may show of a question: members of the contract only, texts cut at 255 characters,
 * lists at 100, anything that looks like a token censored. What has the wrong shape is shown as null.
 */
export const loggedInput = (input: unknown): JsonObject | null => {
  const shown = loggedMembers(input, QUESTION_KEYS);
  if (shown === null || !isJsonObject(input)) return null;
  const groups = Object.entries(GROUPS)
    .filter(([group]) => input[group] !== undefined)
    .map(([group, keys]): [string, unknown] => [group, loggedMembers(input[group], keys)]);
  return { ...shown, ...Object.fromEntries(groups) };
};
