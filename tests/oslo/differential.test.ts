import { beforeAll, describe, expect, it } from '@jest/globals';
import { ImportRefused } from '../../cli/src/commands/policy/import-oslo/faults.js';
import { ACTION_TABLE, readActions } from '../../cli/src/commands/policy/import-oslo/files.js';
import { importOslo } from '../../cli/src/commands/policy/import-oslo/import-oslo.js';
import { IRONIC_DEFAULTS } from '../../cli/src/commands/policy/import-oslo/ironic-defaults.js';
import { CASES } from './callers.js';
import {
  type Allowed,
  type PolicyFile,
  type Overlay,
  askOpa,
  askOslo,
  askWasm,
  type OsloAnswer,
  wronglyFormatted,
} from './engines.js';
import { Generator, randomOf } from './generator.js';

const FILES = 2000;
const COMPILED_FILES = 250;
const ODD_FILES = 600;
const BATCH = 500;
const SEED = 20261121;

/** A few of the cases, other ones for each file. */
function someCases(make: Generator): readonly number[] {
  const numbers = Array.from({ length: 9 }, () => Math.floor(make.number() * CASES.length));
  return [...new Set(numbers)];
}

/** A policy file with some actions and some helpers, as JSON or as YAML. */
function makeFile(
  make: Generator,
  actionNames: readonly string[],
  mostHelpers: number,
): PolicyFile {
  const actions = Array.from({ length: make.pick([1, 2, 3, 4]) }, () => make.pick(actionNames));
  const count = Math.floor(make.number() * (mostHelpers + 1));
  const helpers = Array.from({ length: count }, (_, at) => `helper:${at}`);
  const rules = new Map<string, unknown>();
  // a helper refers to those before it, so that nothing goes in circles
  helpers.forEach((name, at) => rules.set(name, make.rule(helpers.slice(0, at))));
  for (const name of actions) rules.set(name, make.rule(helpers));
  const lines = [...rules].map(
    ([name, rule]) => `${JSON.stringify(name)}: ${JSON.stringify(rule)}\n`,
  );
  const text = make.chance(0.5) ? JSON.stringify(Object.fromEntries(rules)) : lines.join('');
  return { text, actions: [...new Set(actions)], cases: someCases(make) };
}

const flat = (allowed: Allowed | undefined): readonly string[] =>
  (allowed ?? []).map(([action, number]) => `${action} ${number}`).sort();

let actionNames: ReadonlySet<string>;

const importText = (text: string): ReturnType<typeof importOslo> =>
  importOslo({ file: 'policy.yaml', text, actions: actionNames, allowUnknown: true });

const overlayOf = ({ text, ...overlay }: PolicyFile): Overlay => ({
  rego: importText(text).rego,
  ...overlay,
});

const makeFiles = (make: Generator, count: number, mostHelpers: number): readonly PolicyFile[] =>
  Array.from({ length: count }, () => makeFile(make, [...actionNames], mostHelpers));

beforeAll(async () => {
  actionNames = await readActions(ACTION_TABLE);
});

describe('generated files that oslo.policy understands', () => {
  let files: readonly PolicyFile[];
  let oslo: readonly OsloAnswer[];

  beforeAll(() => {
    files = makeFiles(new Generator(randomOf(SEED), 0), FILES, 3);
    oslo = askOslo(files, IRONIC_DEFAULTS);
  });

  it('are all understood, and distinguish callers', () => {
    expect(oslo.filter(({ complained, raised }) => complained || raised !== null)).toEqual([]);
    const answers = files.flatMap(({ actions, cases }) => actions.flatMap(() => cases)).length;
    const allowed = oslo.flatMap(({ plain }) => plain).length;
    expect(allowed).toBeGreaterThan(answers / 10);
    expect(allowed).toBeLessThan((answers * 9) / 10);
  });

  it('mean the same to OPA, but for null equal to null', async () => {
    for (let start = 0; start < FILES; start += BATCH) {
      const batch = files.slice(start, start + BATCH);
      const opa = await askOpa(batch.map(overlayOf));
      batch.forEach(({ text }, at) => {
        expect({ text, allowed: flat(opa[at]) }).toEqual({
          text,
          allowed: flat(oslo[start + at]?.strict),
        });
      });
    }
  });

  it('hold cases in which null equal to null makes the difference', () => {
    const different = oslo.filter(
      ({ plain, strict }) => flat(plain).join() !== flat(strict).join(),
    );
    expect(different.length).toBeGreaterThan(FILES / 100);
  });

  it('mean the same compiled to WASM, with the builtins that WASM has', async () => {
    const wasm = await askWasm(files.slice(0, COMPILED_FILES).map(overlayOf));
    expect(wasm.map(flat)).toEqual(oslo.slice(0, COMPILED_FILES).map(({ strict }) => flat(strict)));
  });

  it('become Rego that opa fmt would not change', async () => {
    expect(await wronglyFormatted(files.slice(0, BATCH).map(overlayOf))).toBe('');
  });
});

describe('generated files with rules that are wrong', () => {
  /** Undefined for a file that is taken, else the reasons. */
  const refusal = (text: string): string | undefined => {
    try {
      importText(text);
      return undefined;
    } catch (error) {
      if (error instanceof ImportRefused) return error.message;
      throw error;
    }
  };

  // Rules that oslo.policy accepts: there they match nobody, or fail only when they are evaluated.
  const TAKEN_THERE =
    /asks a remote server|unknown kind|is not supported as a target attribute|neither %\(name\)s nor %%|refers to/u;

  it('are refused where oslo.policy does not understand them or fails', () => {
    const make = new Generator(randomOf(SEED + 1), 0.05);
    // without helpers: of those that nothing refers to, nothing is read here
    const files = makeFiles(make, ODD_FILES, 0);
    const judged = askOslo(files, IRONIC_DEFAULTS).map(({ complained, raised }, at) => {
      const { text = '' } = files[at] ?? {};
      const why = refusal(text)?.split('\n') ?? [];
      const syntax = why.filter((line) => !TAKEN_THERE.test(line));
      return { text, why, syntax, wrong: complained || raised !== null };
    });
    expect(judged.filter(({ why, wrong }) => wrong && why.length === 0)).toEqual([]);
    expect(judged.filter(({ syntax, wrong }) => !wrong && syntax.length > 0)).toEqual([]);
    expect(judged.filter(({ why }) => why.length === 0).length).toBeGreaterThan(ODD_FILES / 10);
    expect(judged.filter(({ syntax }) => syntax.length > 0).length).toBeGreaterThan(ODD_FILES / 10);
  });
});
