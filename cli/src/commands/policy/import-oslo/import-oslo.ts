import { createHash } from 'node:crypto';
import { ImportRefused, type Problem } from './faults.js';
import { referencesIn } from './formula.js';
import { IRONIC_DEFAULTS, SPLIT_FROM } from './ironic-defaults.js';
import { writeOverlay } from './overlay.js';
import { type FileRule, readPolicyFile } from './policy-file.js';
import {
  cycleThrough,
  parseRule,
  reachedFrom,
  type Rule,
  RULE_FOR_MISSING,
  type RuleBook,
  ruleBookOf,
} from './rules.js';

export interface ImportRequest {
  /** Name of the file, for messages and comments. */
  readonly file: string;
  readonly text: string;
  /** Names of the action table. */
  readonly actions: ReadonlySet<string>;
  /** Leave out rules that are no action and that nothing refers to, instead of refusing the file. */
  readonly allowUnknown: boolean;
}

/** A rule of the overlay. `line` is absent for a default of Ironic. */
interface ImportedRule {
  readonly name: string;
  readonly line?: number;
  readonly action: boolean;
  readonly check: FileRule['source'];
}

export interface ImportResult {
  readonly rego: string;
  /** Actions that the overlay decides, sorted. */
  readonly overridden: readonly string[];
  readonly rules: readonly ImportedRule[];
  readonly warnings: readonly Problem[];
}

interface Sorted {
  readonly actions: readonly FileRule[];
  /** Rules of the file that an action of the file reaches, actions included. */
  readonly used: readonly FileRule[];
  readonly unused: readonly FileRule[];
  readonly reached: ReadonlyMap<string, Rule>;
}

/**
 * Makes an overlay in Rego of an operator's policy file for Ironic.
 * @throws ImportRefused naming file, line and rule of everything that cannot be carried over
 */
export function importOslo({ file, text, actions, allowUnknown }: ImportRequest): ImportResult {
  const read = readPolicyFile(text);
  const book = ruleBookOf(read.rules);
  const sorted = sortedRules(read.rules, book, actions);
  const unknown = unusedProblems(sorted.unused, book);
  const left = new Set(unknown.map(({ rule }) => rule));
  const unreadable = [...read.problems, ...book.problems.filter(({ rule }) => !left.has(rule))];
  // An unreadable rule may refer to any other, so unused rules are not reported then.
  const strangers = allowUnknown || unreadable.length > 0 ? [] : unknown;
  const problems = [...unreadable, ...problemsOfReferences(sorted.used, book), ...strangers];
  if (problems.length > 0) throw new ImportRefused(file, byLine(problems));
  const rules = inOrder(sorted.reached);
  const overridden = sorted.actions.map(({ name }) => name).toSorted();
  return {
    rego: writeOverlay({
      file,
      sha256: createHash('sha256').update(text).digest('hex'),
      actions: overridden,
      rules,
      meant: (reference) => book.find(reference)?.name ?? reference,
    }),
    overridden,
    rules: rules.map(({ name, line, source }) => ({
      name,
      ...(line !== undefined && { line }),
      action: actions.has(name),
      check: source,
    })),
    warnings: byLine([
      ...read.warnings,
      ...checkWarnings(sorted, book),
      ...splitWarnings(sorted, actions),
      ...(allowUnknown ? unknown : []),
    ]),
  };
}

function sortedRules(
  rules: readonly FileRule[],
  book: RuleBook,
  actionNames: ReadonlySet<string>,
): Sorted {
  const actions = rules.filter(({ name }) => actionNames.has(name));
  const reached = new Map(actions.flatMap(({ name }) => [...reachedFrom(book, name)]));
  const used = rules.filter(({ name }) => actionNames.has(name) || reached.has(name));
  return { actions, used, unused: rules.filter((rule) => !used.includes(rule)), reached };
}

const unusedProblems = (unused: readonly FileRule[], book: RuleBook): readonly Problem[] =>
  unused
    // a rule equal to Ironic's default changes nothing; the rule for missing rules decides nothing here
    .filter(
      (rule) => rule.name !== RULE_FOR_MISSING && !(book.find(rule.name) && sameAsDefault(rule)),
    )
    .map(({ name, line }) => ({ line, rule: name, why: whyUnused(name) }));

const problemsOfReferences = (used: readonly FileRule[], book: RuleBook): readonly Problem[] =>
  used.flatMap(({ name, line }) => {
    const cycle = cycleThrough(book, name);
    const round =
      cycle === undefined
        ? []
        : [{ line, rule: name, why: `refers to itself: ${cycle.join(' -> ')}` }];
    const missing = new Set(
      referencesIn(book.find(name)?.formula ?? { is: 'never' }).filter(
        (reference) => !book.knows(reference),
      ),
    );
    return [
      ...round,
      ...[...missing].map((reference) => ({
        line,
        rule: name,
        why: `refers to rule:${reference}, which neither the file nor Ironic has`,
      })),
    ];
  });

const byLine = (problems: readonly Problem[]): readonly Problem[] =>
  problems.toSorted((left, right) => left.line - right.line);

function inOrder(reached: ReadonlyMap<string, Rule>): readonly Rule[] {
  const rules = [...reached.values()];
  const own = rules.filter(({ line }) => line !== undefined);
  return [
    ...own.toSorted((left, right) => (left.line ?? 0) - (right.line ?? 0)),
    ...rules.filter(({ line }) => line === undefined),
  ];
}

const checkWarnings = ({ used }: Sorted, book: RuleBook): readonly Problem[] =>
  used.flatMap(({ name, line }) =>
    [...new Set(book.find(name)?.notes)].map((why) => ({ line, rule: name, why })),
  );

/** Rules that Ironic would let this one decide too, because the file does not name them. */
function splitWarnings({ actions }: Sorted, actionNames: ReadonlySet<string>): readonly Problem[] {
  const named = new Set(actions.map(({ name }) => name));
  return actions.flatMap(({ name, line }) => {
    const left = (SPLIT_FROM.get(name) ?? []).filter(
      (part) => actionNames.has(part) && !named.has(part),
    );
    return left.length === 0
      ? []
      : [
          {
            line,
            rule: name,
            why: `does not decide ${left.join(', ')}, which Ironic took from it; name them too`,
          },
        ];
  });
}

function sameAsDefault({ name, source }: FileRule): boolean {
  const standard = IRONIC_DEFAULTS.get(name);
  if (standard === undefined) return false;
  return JSON.stringify(parseRule(source)) === JSON.stringify(parseRule(standard));
}

function whyUnused(name: string): string {
  if (!IRONIC_DEFAULTS.has(name))
    return 'is no action here, and no rule of the file refers to it; --allow-unknown leaves it out';
  return "is for Ironic's own defaults, which are not in use here, and no rule of the file refers to it; --allow-unknown leaves it out";
}
