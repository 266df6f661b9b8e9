import { type Check, type SingleCheck } from './check.js';
import { meaningOf, type Term } from './term.js';

/** A single check with its meaning, and its text for comments. */
export interface Atom {
  readonly is: 'atom';
  readonly text: string;
  readonly term: Exclude<Term, { is: 'always' | 'never' }>;
}

/** A rule in terms of the question. A constant is never a part of another formula. */
export type Formula = { readonly is: 'always' | 'never' } | Compound;

export type Compound =
  | Atom
  | { readonly is: 'not'; readonly part: Compound }
  | { readonly is: 'and' | 'or'; readonly parts: readonly Compound[] };

/** A formula, and notes on it for the operator. */
export interface Reading {
  readonly formula: Formula;
  readonly notes: readonly string[];
}

/** Whether the rule has the same result for every caller. */
export const isConstant = (formula: Formula): formula is { readonly is: 'always' | 'never' } =>
  formula.is === 'always' || formula.is === 'never';

/**
 * The formula of a tree of checks. Nested `and`s are merged, and so are nested `or`s.
 * @throws CheckRefused when one of its checks cannot be carried over
 */
export function formulaOf(check: Check): Reading {
  switch (check.is) {
    case 'always':
    case 'never':
      return { formula: check, notes: [] };
    case 'check':
      return readSingle(check);
    case 'not': {
      const { formula, notes } = formulaOf(check.check);
      return { formula: opposite(formula), notes };
    }
    case 'and':
    case 'or': {
      const readings = check.checks.map(formulaOf);
      return {
        formula: joined(
          check.is,
          readings.map(({ formula }) => formula),
        ),
        notes: readings.flatMap(({ notes }) => notes),
      };
    }
  }
}

/** The formula as a check string. */
export function formulaText(formula: Compound): string {
  switch (formula.is) {
    case 'atom':
      return formula.text;
    case 'not':
      return `not ${formulaText(formula.part)}`;
    case 'and':
    case 'or':
      return `(${formula.parts.map(formulaText).join(` ${formula.is} `)})`;
  }
}

/** The rules that a formula refers to, from left to right. */
export function referencesIn(formula: Formula): readonly string[] {
  switch (formula.is) {
    case 'atom':
      return formula.term.is === 'rule' ? [formula.term.name] : [];
    case 'not':
      return referencesIn(formula.part);
    case 'and':
    case 'or':
      return formula.parts.flatMap(referencesIn);
    case 'always':
    case 'never':
      return [];
  }
}

function readSingle(check: SingleCheck): Reading {
  const { term, notes } = meaningOf(check);
  if (isFixed(term)) return { formula: term, notes };
  return { formula: { is: 'atom', text: `${check.kind}:${check.match}`, term }, notes };
}

function opposite(formula: Formula): Formula {
  if (isConstant(formula)) return { is: formula.is === 'always' ? 'never' : 'always' };
  return formula.is === 'not' ? formula.part : { is: 'not', part: formula };
}

function joined(is: 'and' | 'or', formulas: readonly Formula[]): Formula {
  const [neutral, decisive] =
    is === 'and' ? (['always', 'never'] as const) : (['never', 'always'] as const);
  if (formulas.some((formula) => formula.is === decisive)) return { is: decisive };
  const parts = formulas
    .filter((formula): formula is Compound => !isConstant(formula))
    .flatMap((part) => (part.is === is ? part.parts : [part]));
  const [only] = parts;
  if (only === undefined) return { is: neutral };
  return parts.length === 1 ? only : { is, parts };
}

const isFixed = (term: Term): term is { readonly is: 'always' | 'never' } =>
  term.is === 'always' || term.is === 'never';
