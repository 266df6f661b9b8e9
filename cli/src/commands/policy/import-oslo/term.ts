import { type SingleCheck } from './check.js';
import { CheckRefused } from './faults.js';
import {
  ABSENT_WHEN_NULL,
  CALLER_AS_TARGET,
  CALLER_KEYS,
  type CallerAttribute,
  NEVER_CARRIED,
  TARGET_KEYS,
} from './keys.js';
import { constantOf, type Template, templateOf } from './template.js';

/** A single check in terms of the question. */
export type Term =
  | { readonly is: 'always' | 'never' }
  | { readonly is: 'rule'; readonly name: string }
  | { readonly is: 'role'; readonly role: Template }
  | { readonly is: 'caller'; readonly attribute: CallerAttribute; readonly text: Template }
  | { readonly is: 'literal'; readonly literal: string; readonly text: Template };

/** A term, and notes on it for the operator. */
export interface Meaning {
  readonly term: Term;
  readonly notes: readonly string[];
}

const REMOTE: ReadonlySet<string> = new Set(['http', 'https']);
const PYTHON_WORD = /^(?:None|True|False)$/u;
const PYTHON_INTEGER = /^(?:0|-?[1-9]\d*)$/u;
const PYTHON_STRING = /^(?:'(?<single>[^'\\]*)'|"(?<double>[^"\\]*)")$/u;

/**
 * The meaning of a single check in Tenure.
 * @throws CheckRefused when it cannot be carried over
 */
export function meaningOf({ kind, match }: SingleCheck): Meaning {
  if (REMOTE.has(kind))
    throw new CheckRefused(`"${kind}:" asks a remote server, which cannot be carried over`);
  if (kind === 'rule') return plain({ is: 'rule', name: match });
  const text = carriedTemplate(match);
  if (kind === 'role') return { term: { is: 'role', role: text }, notes: notesOf(text) };
  const literal = literalOf(kind);
  if (literal !== undefined) return literalMeaning(literal, text);
  if (kind === 'token.system.all')
    return constantOf(text) === 'True'
      ? plain({ is: 'caller', attribute: 'system_scope', text: [{ text: 'all' }] })
      : constant(false);
  if (NEVER_CARRIED.has(kind))
    return { ...constant(false), notes: [`${kind}:${match} never matches: no caller carries it`] };
  const attribute = CALLER_KEYS.get(kind);
  if (attribute === undefined) throw unknownKind(kind);
  return callerMeaning(kind, attribute, text);
}

const plain = (term: Term): Meaning => ({ term, notes: [] });

function carriedTemplate(match: string): Template {
  const template = templateOf(match);
  for (const piece of template)
    if ('key' in piece && !TARGET_KEYS.has(piece.key) && !CALLER_AS_TARGET.has(piece.key))
      throw new CheckRefused(
        `%(${piece.key})s is not supported as a target attribute; supported are ${[...TARGET_KEYS].join(', ')}`,
      );
  return template;
}

const notesOf = (template: Template): readonly string[] =>
  template.flatMap((piece) =>
    'key' in piece && CALLER_AS_TARGET.has(piece.key)
      ? [`%(${piece.key})s is the caller's own ${piece.key}, not the machine's`]
      : [],
  );

/** The text of a Python literal on the left side, undefined when it is none of those that policies use. */
function literalOf(kind: string): string | undefined {
  if (PYTHON_WORD.test(kind) || PYTHON_INTEGER.test(kind)) return kind;
  const groups = PYTHON_STRING.exec(kind)?.groups;
  return groups?.['single'] ?? groups?.['double'];
}

function literalMeaning(literal: string, text: Template): Meaning {
  const given = constantOf(text);
  return given === undefined
    ? { term: { is: 'literal', literal, text }, notes: notesOf(text) }
    : constant(given === literal);
}

const constant = (holds: boolean): Meaning => plain({ is: holds ? 'always' : 'never' });

const unknownKind = (kind: string): CheckRefused =>
  new CheckRefused(
    `unknown kind "${kind}": not rule, role, a literal or a supported attribute of the caller`,
  );

const callerMeaning = (kind: string, attribute: CallerAttribute, text: Template): Meaning =>
  constantOf(text) === 'None' && ABSENT_WHEN_NULL.has(kind)
    ? constant(false)
    : { term: { is: 'caller', attribute, text }, notes: notesOf(text) };
