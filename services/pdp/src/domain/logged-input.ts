import { pointerTo, Question, QuestionResource, Requested, Subject } from '@tenure/contracts';
import { isJsonObject, type JsonObject } from '@tenure/policy';

const CENSORED = '******';
// JSON Web Tokens and Keystone's Fernet tokens: no id or action looks like one.
const TOKEN_SHAPE = /eyJ[\w-]{8,}\.|gAAAAA[\w-]{20,}/;
const SHORTEST_TOKEN = 12;
const MAX_POINTERS = 100;
const MAX_KEY = 255;

/** The part of a question that may be logged. */
export interface LoggedInput {
  /** The question itself, but for what is named below. */
  readonly input: JsonObject | null;
  /** Pointers to members that were left out. */
  readonly erased: readonly string[];
  /** Pointers to values that were replaced. */
  readonly masked: readonly string[];
}

type Members = ReadonlySet<string>;
const membersOf = ({ properties }: { readonly properties: object }, ...more: string[]): Members =>
  new Set([...Object.keys(properties), ...more]);

const QUESTION = membersOf(Question, 'actions');
const GROUPS: ReadonlyMap<string, Members> = new Map([
  ['subject', membersOf(Subject)],
  ['resource', membersOf(QuestionResource)],
  ['requested', membersOf(Requested)],
]);

const below = (place: string, key: string): string => `${place}${pointerTo(key.slice(0, MAX_KEY))}`;

/** Copies the members of the contract, and records the pointers of all others. */
class Copy {
  readonly erased: string[] = [];
  readonly masked: string[] = [];

  readonly members = (value: JsonObject, place: string, allowed: Members): JsonObject => {
    const logged: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      if (allowed.has(key)) this.#member(logged, key, { value: member, place: below(place, key) });
      else this.#note(this.erased, below(place, key));
    }
    return logged;
  };

  #member(
    logged: Record<string, unknown>,
    key: string,
    { value, place }: { readonly value: unknown; readonly place: string },
  ): void {
    const group = GROUPS.get(key);
    if (Array.isArray(value)) logged[key] = this.#list(value, place);
    else if (!isJsonObject(value)) logged[key] = this.#scalar(value, place);
    else if (group === undefined || place !== `/input/${key}`) this.#note(this.erased, place);
    else logged[key] = this.members(value, place, group);
  }

  #list(items: readonly unknown[], place: string): readonly unknown[] {
    return items.map((item, at) => {
      if (typeof item !== 'object' || item === null) return this.#scalar(item, `${place}/${at}`);
      this.#note(this.masked, `${place}/${at}`);
      return null;
    });
  }

  #scalar(value: unknown, place: string): unknown {
    if (typeof value !== 'string' || value.length < SHORTEST_TOKEN || !TOKEN_SHAPE.test(value))
      return value;
    this.#note(this.masked, place);
    return CENSORED;
  }

  #note(list: string[], pointer: string): void {
    if (list.length < MAX_POINTERS) list.push(pointer);
  }
}

const NOTHING: readonly string[] = [];

/**
 * The part of a question for the decision log: the whole question when it matches the contract. Members that are unknown to
 * the contract or have another shape are left out; values that look like tokens are censored.
 */
export function loggedInput(input: unknown): LoggedInput {
  if (input === undefined || input === null)
    return { input: null, erased: NOTHING, masked: NOTHING };
  if (!isJsonObject(input)) return { input: null, erased: ['/input'], masked: NOTHING };
  const copy = new Copy();
  return {
    input: copy.members(input, '/input', QUESTION),
    erased: copy.erased,
    masked: copy.masked,
  };
}
