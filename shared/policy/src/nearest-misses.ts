import { type Change, factsOf, type MissingFact } from './changed-facts.js';
import { isJsonObject, type JsonObject, memberOf } from './json-object.js';
import { type PolicyAnswer } from './policy-answer.js';
import { type NamedProject } from './service-project.js';

export { type MissingFact } from './changed-facts.js';

/** A way to be allowed that a row of the action table names. */
export interface GrantInfo {
  readonly name: string;
  /** Its description in the catalogue. */
  readonly about: string;
}

/** A grant that did not match, and the fewest facts that kept it from it. */
export interface NearestMiss {
  readonly grant: string;
  readonly about: string;
  readonly missing: readonly MissingFact[];
}

/** The same policy with another value of a switch. */
export interface OtherSwitch {
  readonly name: string;
  readonly has: unknown;
  readonly needs: unknown;
  readonly ask: Ask;
}

/** Changes to try besides the facts of the question itself. */
export interface MissOptions {
  /** Projects that mean something to the policy, such as the one of the services. */
  readonly projects?: readonly NamedProject[];
  readonly switches?: readonly OtherSwitch[];
}

type Ask = (question: JsonObject) => PolicyAnswer;

/** A changed question, the changes, and the evaluation to put it to. */
interface Variant {
  readonly question: JsonObject;
  readonly missing: readonly MissingFact[];
  readonly ask: Ask;
}

/** Maximum number of changed facts: a caller who lacks more is not near. */
const MAX_FACTS = 3;

type Missing = ReadonlyMap<string, readonly MissingFact[]>;

/**
 * Finds the facts that a denied caller lacked: for each grant the fewest facts that must change until the policy allows by
 * that grant. Every change is evaluated by the policy; this function contains no rules. A grant that no change reaches is left
 * out; an allowed question has no misses. It evaluates some hundred questions, more with switches.
 * @param ask the policy under the switches as they are
 * @param grants of the rows that refused, see `grantsOfRows`
 * @returns those with the fewest facts first, then in the order of `grants`
 * @throws what `ask` throws
 */
export function nearestMisses(
  ask: (question: JsonObject) => PolicyAnswer,
  question: JsonObject,
  grants: readonly GrantInfo[],
  { projects = [], switches = [] }: MissOptions = {},
): readonly NearestMiss[] {
  if (ask(question).allow) return [];
  const facts = factsOf(projects);
  const beginnings = beginningsOf(ask, question, switches);
  const found = new Map<string, readonly MissingFact[]>();
  for (let count = 1; count <= MAX_FACTS; count += 1) {
    const open = new Set(grants.map(({ name }) => name).filter((name) => !found.has(name)));
    if (open.size === 0) break;
    const variants = function* (): Generator<Variant> {
      for (const begun of beginnings) yield* variantsOf(begun, facts, count - begun.missing.length);
    };
    for (const [name, missing] of firstHits(variants(), open)) found.set(name, missing);
  }
  return grants
    .flatMap(({ name, about }) => {
      const missing = found.get(name);
      return missing === undefined ? [] : [{ grant: name, about, missing }];
    })
    .toSorted((one, other) => one.missing.length - other.missing.length);
}

/**
 * The grants that rows of the action table name, deprecated ones last, each once.
 * @param data of the policy, with overlays
 * @param actions such as those that an answer says were denied; unknown ones have no grants
 */
export function grantsOfRows(data: unknown, actions: readonly string[]): readonly GrantInfo[] {
  const tenure = memberOf(data, 'tenure');
  const catalogue = memberOf(memberOf(tenure, 'grants'), 'catalogue');
  const rows = actions
    .map((action) => memberOf(memberOf(tenure, 'actions'), action))
    .filter(isJsonObject);
  const names = (['grants', 'legacy'] as const).flatMap((list) =>
    rows.flatMap((row) => namesIn(row[list])),
  );
  return [...new Set(names)].map((name) => {
    const about = memberOf(catalogue, name);
    return { name, about: typeof about === 'string' ? about : '' };
  });
}

/** The question under the switches as they are, and with each other value of a switch. */
const beginningsOf = (
  ask: Ask,
  question: JsonObject,
  switches: readonly OtherSwitch[],
): readonly Variant[] => [
  { question, missing: [], ask },
  ...switches.map(({ name, has, needs, ask: other }) => ({
    question,
    missing: [{ fact: name, has, needs }],
    ask: other,
  })),
];

/** Every way to change `left` facts more, each fact once. */
function* variantsOf(
  variant: Variant,
  facts: readonly (readonly Change[])[],
  left: number,
): Generator<Variant> {
  if (left === 0) {
    yield variant;
    return;
  }
  for (const [at, changes] of facts.entries())
    for (const change of changes) {
      const changed = change(variant.question);
      if (changed === undefined) continue;
      const { question, missing } = changed;
      const next = { ...variant, question, missing: [...variant.missing, missing] };
      yield* variantsOf(next, facts.slice(at + 1), left - 1);
    }
}

/** The first variant for each grant by which the policy then allows. */
function firstHits(variants: Iterable<Variant>, wanted: ReadonlySet<string>): Missing {
  const hits = new Map<string, readonly MissingFact[]>();
  for (const { ask, question, missing } of variants) {
    const { allow, grants } = ask(question);
    if (!allow) continue;
    for (const name of grants) if (wanted.has(name) && !hits.has(name)) hits.set(name, missing);
    if (hits.size === wanted.size) break;
  }
  return hits;
}

const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
