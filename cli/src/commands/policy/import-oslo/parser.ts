import { ALWAYS, type Check, NEVER } from './check.js';
import { CheckRefused } from './faults.js';
import { type Token, tokensOf } from './tokenizer.js';

/** An item of the parser's stack: a token, or a check that tokens were reduced to. */
type Item =
  | { readonly type: 'and' | 'or' | 'not' | '(' | ')' | 'quoted' }
  | { readonly type: 'check' | 'and_expr' | 'or_expr'; readonly check: Check };

// Deeper than any real rule, and shallow enough for every call stack.
const MAX_NESTING = 500;

/**
 * Reads a check string by the greedy reductions of oslo.policy, so that precedence is exactly the same.
 * The empty string is always.
 * @throws CheckRefused where oslo.policy would log "Failed to understand rule" and deny everybody
 */
export function parseCheckString(rule: string): Check {
  if (rule === '') return ALWAYS;
  const tokens = tokensOf(rule);
  if (tokens.filter(({ type }) => type === '(' || type === 'not').length > MAX_NESTING)
    throw new CheckRefused(`has more than ${MAX_NESTING} parentheses and nots`);
  let stack: readonly Item[] = [];
  for (const token of tokens) {
    stack = [...stack, itemOf(token)];
    for (let next = reduced(stack); next !== undefined; next = reduced(stack)) stack = next;
  }
  const [only, ...more] = stack;
  if (only !== undefined && more.length === 0 && 'check' in only) return only.check;
  throw new CheckRefused(
    'cannot be parsed: look for a missing and/or, unbalanced parentheses, or a quoted word that is no check',
  );
}

/**
 * Reads the deprecated form, a list of alternatives: each a check, or a list of checks that must all hold. In this form a check is
 * not split at white space, `not` and parentheses have no meaning, and empty alternatives are left out.
 * @throws CheckRefused as `parseCheckString`
 */
export function parseCheckList(rule: readonly (string | readonly string[])[]): Check {
  if (rule.length === 0) return ALWAYS;
  const alternatives = rule
    .filter((inner) => inner.length > 0)
    .map((inner): Check => {
      const checks = (typeof inner === 'string' ? [inner] : inner).map(singleCheck);
      const [only] = checks;
      return checks.length === 1 && only !== undefined ? only : { is: 'and', checks };
    });
  const [only] = alternatives;
  if (only === undefined) return NEVER;
  return alternatives.length === 1 ? only : { is: 'or', checks: alternatives };
}

const itemOf = ({ type, text }: Token): Item =>
  type === 'check' ? { type, check: singleCheck(text) } : { type };

/** One reduction of the end of the stack, three tokens before two. Undefined when none applies. */
function reduced(stack: readonly Item[]): readonly Item[] | undefined {
  const [third, second, first] = [stack.at(-3), stack.at(-2), stack.at(-1)];
  if (first === undefined || second === undefined) return undefined;
  const three = third === undefined ? undefined : reducedThree(third, second, first);
  if (three !== undefined) return [...stack.slice(0, -3), three];
  const two = reducedTwo(second, first);
  return two === undefined ? undefined : [...stack.slice(0, -2), two];
}

function singleCheck(text: string): Check {
  if (text === '@') return ALWAYS;
  if (text === '!') return NEVER;
  const colon = text.indexOf(':');
  if (colon < 0) throw new CheckRefused(`"${text}" is not a check: it must be kind:match, @ or !`);
  return { is: 'check', kind: text.slice(0, colon), match: text.slice(colon + 1) };
}

function reducedThree(left: Item, middle: Item, right: Item): Item | undefined {
  if (left.type === '(' && right.type === ')' && 'check' in middle)
    return { type: 'check', check: middle.check };
  if (!('check' in left) || right.type !== 'check') return undefined;
  if (middle.type !== 'and' && middle.type !== 'or') return undefined;
  return left.type === 'or_expr' && middle.type === 'and'
    ? boundTighter(checksOf(left), right.check)
    : extended(middle.type, left, right.check);
}

const reducedTwo = (left: Item, right: Item): Item | undefined =>
  left.type === 'not' && right.type === 'check'
    ? { type: 'check', check: { is: 'not', check: right.check } }
    : undefined;

/** `A or B and C`: the last one of the or belongs to the and. */
function boundTighter(alternatives: readonly Check[], next: Check): Item {
  const last = alternatives.at(-1) ?? NEVER; // an or has two at least
  const both: Check =
    last.is === 'and'
      ? { is: 'and', checks: [...last.checks, next] }
      : { is: 'and', checks: [last, next] };
  return joined('or', [...alternatives.slice(0, -1), both]);
}

const checksOf = (item: Extract<Item, { check: Check }>): readonly Check[] =>
  item.check.is === 'and' || item.check.is === 'or' ? item.check.checks : [item.check];

/** Joins `left` and `next`: one longer list where `left` is one of this kind already. */
const extended = (is: 'and' | 'or', left: Extract<Item, { check: Check }>, next: Check): Item =>
  joined(is, left.type === `${is}_expr` ? [...checksOf(left), next] : [left.check, next]);

const joined = (is: 'and' | 'or', checks: readonly Check[]): Item => ({
  type: `${is}_expr`,
  check: { is, checks },
});
