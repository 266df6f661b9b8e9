import { type Atom, type Compound, type Formula, isConstant, formulaText } from './formula.js';
import { type RegoNames } from './rego-names.js';
import { constantOf, type Template } from './template.js';
import { type Term } from './term.js';

/** One line of a body. Only a simple line may follow `not`: in others an undefined value would not count as false. */
interface Line {
  readonly rego: string;
  readonly simple: boolean;
}

const simple = (rego: string): Line => ({ rego, simple: true });
const nested = (rego: string): Line => ({ rego, simple: false });
const quoted = (text: string): string => JSON.stringify(text);

/** Writes one rule: its bodies, then those of its parts. */
class RuleWriter {
  readonly #parts: { readonly head: string; readonly formula: Compound }[] = [];

  readonly #rule: string;
  readonly #names: RegoNames;
  readonly #resolve: (reference: string) => string;

  constructor(rule: string, names: RegoNames, resolve: (reference: string) => string) {
    this.#rule = rule;
    this.#names = names;
    this.#resolve = resolve;
  }

  write(formula: Compound): readonly string[] {
    const blocks = [...this.#bodies(this.#names.of(this.#rule), formula)];
    for (let part = this.#parts.shift(); part !== undefined; part = this.#parts.shift()) {
      const [first = '', ...more] = this.#bodies(part.head, part.formula);
      blocks.push(`${commentOf(formulaText(part.formula))}\n${first}`, ...more);
    }
    return blocks;
  }

  #bodies(head: string, formula: Compound): readonly string[] {
    const alternatives = formula.is === 'or' ? formula.parts : [formula];
    return alternatives.map((alternative) => {
      const parts = alternative.is === 'and' ? alternative.parts : [alternative];
      const lines = parts.map((part) => this.#line(part).rego);
      return lines.length === 1
        ? `${head}(view) if ${lines.join('')}`
        : `${head}(view) if {\n${lines.map((line) => `\t${line}\n`).join('')}}`;
    });
  }

  #line(formula: Compound): Line {
    if (formula.is === 'atom') return this.#atom(formula.term);
    if (formula.is !== 'not') return this.#part(formula);
    const line = this.#line(formula.part);
    return nested(`not ${(line.simple ? line : this.#part(formula.part)).rego}`);
  }

  #atom(term: Atom['term']): Line {
    switch (term.is) {
      case 'rule':
        return simple(`${this.#resolve(term.name)}(view)`);
      case 'role':
        return roleLine(term.role);
      case 'caller':
        return callerLine(term);
      case 'literal':
        return literalLine(term);
    }
  }

  #part(formula: Compound): Line {
    const head = this.#names.part(this.#rule);
    this.#parts.push({ head, formula });
    return simple(`${head}(view)`);
  }
}

// All characters that end a comment, or look like its end.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A comment of one line, for any text. */
export const commentOf = (text: string): string =>
  `# ${text.replace(UNPRINTABLE, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`)}`;

export interface RuleToWrite {
  readonly name: string;
  readonly formula: Formula;
  readonly comments: readonly string[];
}

/** The Rego of one rule, formatted as `opa fmt` formats it. `resolve` gives the Rego name of a referenced rule. */
export function writeRule(
  { name, formula, comments }: RuleToWrite,
  names: RegoNames,
  resolve: (reference: string) => string,
): string {
  const head = names.of(name);
  const comment = comments.map(commentOf).join('\n');
  if (isConstant(formula)) return `${comment}\n${head}(_) := ${String(formula.is === 'always')}\n`;
  const bodies = new RuleWriter(name, names, resolve).write(formula);
  return `${comment}\n${bodies.join('\n\n')}\n`;
}

function roleLine(role: Template): Line {
  const name = constantOf(role);
  return name === undefined
    ? nested(`oslo.role(view, ${assembled(role)})`)
    : simple(`oslo.role(view, ${quoted(name)})`);
}

function callerLine({ attribute, text }: Extract<Term, { is: 'caller' }>): Line {
  const left = quoted(attribute);
  const key = keyOf(text);
  if (key !== undefined) return simple(`oslo.matches(view, ${left}, ${quoted(key)})`);
  const value = constantOf(text);
  if (value === undefined) return nested(`oslo.literal(view, ${left}, ${assembled(text)})`);
  return simple(
    value === 'None'
      ? `oslo.is_none(view, ${left})`
      : `oslo.literal(view, ${left}, ${quoted(value)})`,
  );
}

function literalLine({ literal, text }: Extract<Term, { is: 'literal' }>): Line {
  const key = keyOf(text);
  if (key === undefined) return nested(`${assembled(text)} == ${quoted(literal)}`);
  return simple(
    literal === 'None'
      ? `oslo.target_is_none(view, ${quoted(key)})`
      : `oslo.target_is(view, ${quoted(literal)}, ${quoted(key)})`,
  );
}

/** The Rego of a text that depends on the target. */
function assembled(template: Template): string {
  const pieces = template.map((piece) =>
    'text' in piece ? quoted(piece.text) : `oslo.text(view, ${quoted(piece.key)})`,
  );
  return pieces.length === 1 ? pieces.join('') : `concat("", [${pieces.join(', ')}])`;
}

/** The key of a template that consists of `%(key)s` only. */
function keyOf(template: Template): string | undefined {
  const [only] = template;
  return template.length === 1 && only !== undefined && 'key' in only ? only.key : undefined;
}
