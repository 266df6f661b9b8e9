import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import { type Problem } from './faults.js';

/** A check string, or the deprecated form: a list of checks and lists of checks. */
export type RuleSource = string | readonly (string | readonly string[])[];

/** A rule as the file has it. `line` is the line of its name, from 1. */
export interface FileRule {
  readonly name: string;
  readonly line: number;
  readonly source: RuleSource;
}

export interface PolicyFile {
  readonly rules: readonly FileRule[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

const MAX_CHECK_LENGTH = 32 * 1024;
const MAX_RULES = 2000;

type Read = { readonly source: RuleSource; readonly warning?: string } | { readonly why: string };

const STRING_TAG = 'tag:yaml.org,2002:str';
const SHAPE = 'must be a check string, or a list of checks and lists of checks';

const isText = (source: RuleSource): source is string => typeof source === 'string';

type Resolve = (node: unknown) => Node | undefined;

const isEmpty = (node: unknown): boolean =>
  node === undefined ||
  node === null ||
  (isScalar(node) && node.value === null && node.tag === undefined);

/** Reads the rules of a map one after the other. */
class RuleReader {
  readonly rules = new Map<string, FileRule>();
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #resolve: Resolve;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  add(name: string, line: number, value: unknown): void {
    const earlier = this.rules.get(name);
    if (earlier !== undefined)
      this.warnings.push({ line, rule: name, why: `replaces the one in line ${earlier.line}` });
    const read = readRule(value, this.#resolve);
    if ('why' in read) {
      this.problems.push({ line, rule: name, why: read.why });
      return;
    }
    if (read.warning !== undefined) this.warnings.push({ line, rule: name, why: read.warning });
    this.rules.set(name, { name, line, source: read.source });
  }

  done(): PolicyFile {
    const { rules, problems, warnings } = this;
    return { rules: [...rules.values()], problems, warnings };
  }
}

/** The rules of a policy file, in YAML or JSON, in the order of the file. The last rule of a name wins. */
export function readPolicyFile(text: string): PolicyFile {
  const { document, lineAt } = parsed(text);
  const [fault] = document.errors;
  if (fault !== undefined) return broken(lineAt(fault.pos[0]), `not valid YAML (${fault.code})`);
  const map = document.contents;
  if (isEmpty(map))
    return { rules: [], problems: [], warnings: [{ line: 1, why: 'holds no rule' }] };
  if (!isMap(map)) return broken(1, 'must be an object of rule names and check strings');
  if (map.items.length > MAX_RULES) return broken(1, `holds more than ${MAX_RULES} rules`);
  const reader = new RuleReader(resolverOf(document));
  for (const { key, value } of map.items) {
    const line = isScalar(key) ? lineAt(key.range[0]) : 1;
    if (isScalar(key) && typeof key.value === 'string') reader.add(key.value, line, value);
    else reader.problems.push({ line, why: 'the name of a rule must be text' });
  }
  return reader.done();
}

function readRule(value: unknown, resolve: Resolve): Read {
  const node = resolve(value);
  if (node === undefined || isEmpty(node))
    return { source: '', warning: 'has no check, which means always; write "@" or "!"' };
  if (!isSeq(node)) return readText(node);
  const inner = textsIn(node.items.map((item) => readInner(item, resolve)));
  // a list of lists has two levels at most: an inner one holds texts only
  return inner === undefined
    ? { why: SHAPE }
    : { source: inner.map((each) => (isText(each) ? each : each.filter(isText))) };
}

function readText(node: Node): Read {
  if (!isScalar(node)) return { why: SHAPE };
  if (node.tag === '!')
    return { why: 'a bare ! is a tag of YAML, and what is left means always; quote it: "!"' };
  if (node.tag !== undefined && node.tag !== STRING_TAG) return { why: SHAPE };
  if (typeof node.value !== 'string') return { why: SHAPE };
  return node.value.length > MAX_CHECK_LENGTH
    ? { why: `is longer than ${MAX_CHECK_LENGTH} characters` }
    : { source: node.value };
}

function textsIn(reads: readonly Read[]): readonly RuleSource[] | undefined {
  const sources = reads.map((read) => ('source' in read ? read.source : undefined));
  return sources.every((source) => source !== undefined) ? sources : undefined;
}

function readInner(node: unknown, resolve: Resolve): Read {
  const item = resolve(node);
  if (!isSeq(item)) return item === undefined ? { why: SHAPE } : readText(item);
  const texts = textsIn(
    item.items.map((each) => {
      const inner = resolve(each);
      return inner === undefined ? { why: SHAPE } : readText(inner);
    }),
  );
  return texts?.every(isText) === true ? { source: texts } : { why: SHAPE };
}

function parsed(text: string): { document: Document.Parsed; lineAt: (offset: number) => number } {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.1', // as PyYAML reads it
    uniqueKeys: false, // the last one counts, and a warning says so
    prettyErrors: false,
  });
  return { document, lineAt: (offset) => Math.max(1, lines.linePos(offset).line) };
}

const broken = (line: number, why: string): PolicyFile => ({
  rules: [],
  problems: [{ line, why }],
  warnings: [],
});

const resolverOf =
  (document: Document.Parsed): Resolve =>
  (node) => {
    const found = isAlias(node) ? node.resolve(document) : node;
    return isScalar(found) || isSeq(found) || isMap(found) ? found : undefined;
  };
