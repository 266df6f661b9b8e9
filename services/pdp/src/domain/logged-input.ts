import { pointerTo, Question, QuestionResource, Requested, Subject } from '@tenure/contracts';
import { isJsonObject, type JsonObject } from '@tenure/policy';

const CENSORED = '******';
// JSON Web Tokens and Keystone's Fernet tokens: no id or action looks like one.
const TOKEN_SHAPE = /eyJ[\w-]{8,}\.|gAAAAA[\w-]{20,}/;
const SHORTEST_TOKEN = 12;
const MAX_TOLD = 100;
const MAX_KEY = 255;

/** What may be logged of a question. */
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

/** Copies what the contract knows, and keeps account of the rest. */
class Copy {
  readonly erased: string[] = [];
  readonly masked: string[] = [];

  readonly members = (value: JsonObject, place: string, known: Members): JsonObject => {
    const shown: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      if (known.has(key)) this.#member(shown, key, { value: member, place: below(place, key) });
      else this.#tell(this.erased, below(place, key));
    }
    return shown;
  };

  #member(
    shown: Record<string, unknown>,
    key: string,
    { value, place }: { readonly value: unknown; readonly place: string },
  ): void {
    const group = GROUPS.get(key);
    if (Array.isArray(value)) shown[key] = this.#list(value, place);
    else if (!isJsonObject(value)) shown[key] = this.#scalar(value, place);
    else if (group === undefined || place !== `/input/${key}`) this.#tell(this.erased, place);
    else shown[key] = this.members(value, place, group);
  }

  #list(items: readonly unknown[], place: string): readonly unknown[] {
    return items.map((item, at) => {
      if (typeof item !== 'object' || item === null) return this.#scalar(item, `${place}/${at}`);
      this.#tell(this.masked, `${place}/${at}`);
      return null;
    });
  }

  #scalar(value: unknown, place: string): unknown {
    if (typeof value !== 'string' || value.length < SHORTEST_TOKEN || !TOKEN_SHAPE.test(value))
      return value;
    this.#tell(this.masked, place);
    return CENSORED;
  }

  #tell(list: string[], pointer: string): void {
    if (list.length < MAX_TOLD) list.push(pointer);
  }
}

const NOTHING: readonly string[] = [];

/**
 * What the decision log may show of a question: exactly what was asked, when it was one of the contract. Members that the
 * contract does not know are left out, and so is what does not have its shape; what looks like a token is censored.
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
