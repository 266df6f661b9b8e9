import { type Static, Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { CaseFailed, PolicyRefused } from './failures.js';
import { jsonIn } from './json-object.js';
import { type PolicyAnswer } from './policy-answer.js';

/** File name of golden decisions in a bundle. */
export const GOLDEN_FILE = 'tenure/golden.json';

const MAX_CASES = 10_000;

const GoldenDecisions = Type.Array(
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 255 }),
      input: Type.Object({ action: Type.String({ minLength: 1 }) }),
      expect: Type.Object(
        {
          allow: Type.Boolean(),
          visible: Type.Optional(Type.Boolean()),
          /** Exactly these, in any order. */
          grants: Type.Optional(Type.Array(Type.String())),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
  { minItems: 1, maxItems: MAX_CASES },
);

/** A question and what the policy of this bundle must answer, without the operator's overlays and switches. */
export type GoldenDecision = Static<typeof GoldenDecisions>[number];

/**
 * @param text of the file in the bundle
 * @throws PolicyRefused when it is no list of golden decisions
 */
export function parseGolden(text: string): readonly GoldenDecision[] {
  const parsed = jsonIn(GOLDEN_FILE, text);
  if (!matches(GoldenDecisions, parsed))
    throw new PolicyRefused(`${GOLDEN_FILE} is not a list of decisions`);
  return parsed;
}

/** @throws CaseFailed that names the difference */
export function checkGolden(
  { name, expect }: GoldenDecision,
  { allow, visible, grants }: Pick<PolicyAnswer, 'allow' | 'visible' | 'grants'>,
): void {
  if (allow !== expect.allow) failed(name, `allow is ${String(allow)}`);
  if (expect.visible !== undefined && visible !== expect.visible)
    failed(name, `visible is ${String(visible)}`);
  if (expect.grants !== undefined && listed(grants) !== listed(expect.grants))
    failed(name, `the grants are ${listed(grants)}`);
}

function failed(name: string, what: string): never {
  throw new CaseFailed(name, `the golden decision "${name}" does not hold: ${what}`);
}

const listed = (names: readonly string[]): string => `[${names.toSorted().join(', ')}]`;
