import { type Check } from './check.js';
import { CheckRefused, type Problem } from './faults.js';
import { type Formula, formulaOf, referencesIn } from './formula.js';
import { IRONIC_DEFAULTS } from './ironic-defaults.js';
import { parseCheckList, parseCheckString } from './parser.js';
import { type FileRule, type RuleSource } from './policy-file.js';

/** A rule with its meaning. `line` is absent for a default of Ironic. */
export interface Rule {
  readonly name: string;
  readonly line?: number;
  readonly source: RuleSource;
  readonly formula: Formula;
  readonly notes: readonly string[];
}

/** Rules by name, the resolution of references, and the unreadable rules. */
export interface RuleBook {
  /** The rule that a reference resolves to: of the file, of Ironic, or the file's rule for missing ones. */
  readonly find: (name: string) => Rule | undefined;
  /** Whether a reference resolves to a rule, readable or not. */
  readonly knows: (name: string) => boolean;
  readonly problems: readonly Problem[];
}

// oslo.policy evaluates this rule when another is missing, if the file has it (option policy_default_rule).
export const RULE_FOR_MISSING = 'default';

export const parseRule = (source: RuleSource): Check =>
  typeof source === 'string' ? parseCheckString(source) : parseCheckList(source);

/** Reads the rules of a file. Each rule that cannot be carried over is a problem. */
export function ruleBookOf(fileRules: readonly FileRule[]): RuleBook {
  const problems: Problem[] = [];
  const read = new Map<string, Rule | undefined>();
  for (const { name, line, source } of fileRules) {
    try {
      read.set(name, readRule(name, source, line));
    } catch (error) {
      if (!(error instanceof CheckRefused)) throw error;
      read.set(name, undefined);
      problems.push({ line, rule: name, why: error.message });
    }
  }
  const find = (name: string): Rule | undefined => {
    if (read.has(name)) return read.get(name);
    const check = IRONIC_DEFAULTS.get(name);
    if (check === undefined) return name === RULE_FOR_MISSING ? undefined : find(RULE_FOR_MISSING);
    const rule = readRule(name, check);
    read.set(name, rule);
    return rule;
  };
  const knows = (name: string): boolean =>
    read.has(name) || IRONIC_DEFAULTS.has(name) || read.has(RULE_FOR_MISSING);
  return { find, knows, problems };
}

/** All rules that a rule reaches by references, itself first. */
export function reachedFrom(book: RuleBook, start: string): ReadonlyMap<string, Rule> {
  const reached = new Map<string, Rule>();
  const waiting = [start];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const rule = book.find(name);
    if (rule === undefined || reached.has(rule.name)) continue;
    reached.set(rule.name, rule);
    waiting.push(...referencesIn(rule.formula).toReversed());
  }
  return reached;
}

/** The reference cycle of a rule, both ends included. */
export function cycleThrough(book: RuleBook, start: string): readonly string[] | undefined {
  const seen = new Set<string>();
  const walk = (name: string, way: readonly string[]): readonly string[] | undefined => {
    const rule = book.find(name);
    if (rule === undefined) return undefined;
    if (rule.name === start && way.length > 0) return [...way, start];
    if (seen.has(rule.name)) return undefined;
    seen.add(rule.name);
    for (const next of referencesIn(rule.formula)) {
      const found = walk(next, [...way, rule.name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(start, []);
}

/** @throws CheckRefused when the rule cannot be carried over */
const readRule = (name: string, source: RuleSource, line?: number): Rule => ({
  name,
  source,
  ...(line !== undefined && { line }),
  ...formulaOf(parseRule(source)),
});
