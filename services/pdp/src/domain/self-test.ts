import {
  CaseFailed,
  isBatchAnswer,
  isJsonObject,
  isPolicyAnswer,
  memberOf,
  PolicyRefused,
} from '@tenure/policy';

/** A question whose answer is the same under every sane policy. Read from `self-test.json`. */
export interface Invariant {
  readonly name: string;
  /** Absent when the question itself is absent. */
  readonly input?: unknown;
  readonly expect: { readonly allow: boolean; readonly visible?: boolean };
}

type Ask = (entrypoint: 'decision' | 'batch', input: unknown) => unknown;

/** @throws PolicyRefused when the file holds no usable invariants: a bundle is not taken on trust */
export function parseInvariants(parsed: unknown): readonly Invariant[] {
  if (!Array.isArray(parsed) || parsed.length === 0 || !parsed.every(isInvariant))
    throw new PolicyRefused('the self-test file is not a list of invariants');
  return parsed;
}

/**
 * Asks a policy what every sane policy answers alike.
 * @throws PolicyRefused at the first wrong answer; PolicyFailure when it cannot be evaluated
 */
export function runSelfTest(ask: Ask, invariants: readonly Invariant[]): void {
  for (const invariant of invariants) {
    checkOne(ask, invariant);
    checkBatch(ask, invariant);
  }
}

/** Questions to warm a fresh policy with: every action of the table, with each subject of the invariants. */
export function warmUpQuestions(
  actions: readonly string[],
  invariants: readonly Invariant[],
  atLeast: number,
): readonly unknown[] {
  const bases = invariants.map(({ input }) => input).filter(isJsonObject);
  const once = actions.flatMap((action) => bases.map((base) => ({ ...base, action })));
  if (once.length === 0) return [];
  return Array.from({ length: Math.ceil(atLeast / once.length) }, () => once)
    .flat()
    .slice(0, Math.max(atLeast, actions.length));
}

const isInvariant = (value: unknown): value is Invariant =>
  typeof memberOf(value, 'name') === 'string' &&
  typeof memberOf(memberOf(value, 'expect'), 'allow') === 'boolean';

function checkOne(ask: Ask, { name, input, expect }: Invariant): void {
  const answer = ask('decision', input);
  if (!isPolicyAnswer(answer)) return failed(name, 'the answer is not a decision');
  if (answer.allow !== expect.allow) failed(name, `allow is ${String(answer.allow)}`);
  if (expect.visible !== undefined && answer.visible !== expect.visible)
    failed(name, `visible is ${String(answer.visible)}`);
}

// The two entrypoints must be one policy.
function checkBatch(ask: Ask, { name, input, expect }: Invariant): void {
  const action = memberOf(input, 'action');
  if (!isJsonObject(input) || typeof action !== 'string') return;
  const answers = ask('batch', { ...input, actions: [action] });
  if (!isBatchAnswer(answers) || answers[action]?.allow !== expect.allow)
    failed(name, 'the batch answers differently');
}

function failed(name: string, what: string): never {
  throw new CaseFailed(name, `the policy fails its self-test "${name}": ${what}`);
}
