import { type Static, Type } from '@sinclair/typebox';
import { matches, segmentsOf } from '@tenure/contracts';
import { isJsonObject, type JsonObject } from '@tenure/policy';
import { type LoggedInput } from './logged-input.js';

const Pointer = Type.String({ minLength: 2, maxLength: 1024 });
const exactly = { additionalProperties: false };

/** A rule in the form in which OPA's mask policies give theirs: a pointer to leave out, or a value to put there. */
const MaskRule = Type.Union([
  Pointer,
  Type.Object({ op: Type.Literal('remove'), path: Pointer }, exactly),
  Type.Object({ op: Type.Literal('upsert'), path: Pointer, value: Type.Unknown() }, exactly),
]);
const MaskRules = Type.Array(MaskRule, { maxItems: 256 });

interface Mask {
  readonly pointer: string;
  /** Below `input`, at least one. */
  readonly segments: readonly string[];
  readonly value?: { readonly is: unknown };
}

/** Replaces a list's item or an object's member when nothing takes its place. */
const REMOVED = Symbol('removed');

/**
 * An operator's rules for the parts of a question that must not be logged.
 * @param rules a list of pointers below `/input`, or of `{op: remove | upsert, path, value}`
 * @returns what to do with each question
 * @throws Error when the rules are malformed
 */
export function inputMasks(rules: unknown): (logged: LoggedInput) => LoggedInput {
  if (!matches(MaskRules, rules))
    throw new Error('masks are a list of JSON pointers, or of {op: remove or upsert, path, value}');
  const masks = rules.map(maskOf);
  return (logged) => masks.reduce(applied, logged);
}

function maskOf(rule: Static<typeof MaskRule>): Mask {
  const pointer = typeof rule === 'string' ? rule : rule.path;
  const [root, ...segments] = segmentsOf(pointer) ?? [];
  if (root !== 'input' || segments.length === 0)
    throw new Error(`a mask is a JSON pointer below /input, which ${pointer} is not`);
  return {
    pointer,
    segments,
    ...(typeof rule !== 'string' && rule.op === 'upsert' && { value: { is: rule.value } }),
  };
}

function applied(logged: LoggedInput, mask: Mask): LoggedInput {
  const input = masked(logged.input, mask.segments, mask);
  if (input === logged.input || JSON.stringify(input) === JSON.stringify(logged.input))
    return logged;
  const change =
    mask.value === undefined
      ? { erased: [...logged.erased, mask.pointer] }
      : { masked: [...logged.masked, mask.pointer] };
  return { ...logged, input: input as JsonObject, ...change }; // a changed copy of an object is one
}

/** A changed copy of `value`; `value` itself when there is nothing at that place. */
function masked(value: unknown, segments: readonly string[], mask: Mask): unknown {
  if (Array.isArray(value)) return inList(value, segments, mask);
  const [key = '', ...rest] = segments;
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return value;
  const replaced = replacement(value[key], rest, mask);
  if (replaced !== REMOVED) return { ...value, [key]: replaced };
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

function inList(
  items: readonly unknown[],
  [key = '', ...rest]: readonly string[],
  mask: Mask,
): unknown {
  const at = Number(key);
  if (!Number.isInteger(at) || at < 0 || at >= items.length) return items;
  const replaced = replacement(items[at], rest, mask);
  // Items keep their indexes, because pointers name them by index.
  return items.map((item, place) =>
    place === at ? (replaced === REMOVED ? null : replaced) : item,
  );
}

function replacement(value: unknown, rest: readonly string[], mask: Mask): unknown {
  if (rest.length > 0) return masked(value, rest, mask);
  return mask.value === undefined ? REMOVED : mask.value.is;
}
