import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, venvBin } from '../support/paths.js';
import { CASES } from './callers.js';
import { type Ask, compiledPolicy } from './wasm.js';

/** An allowed case: its action and number. */
export type Allowed = readonly (readonly [action: string, number: number])[];

export interface OsloAnswer {
  /** Whether oslo.policy logged an error about the file, or found undefined or cyclic references. */
  readonly complained: boolean;
  readonly raised: string | null;
  readonly plain: Allowed;
  readonly strict: Allowed;
}

/** Actions, and the numbers of the cases for which they are evaluated. */
interface Rules {
  readonly actions: readonly string[];
  readonly cases: readonly number[];
}

export interface PolicyFile extends Rules {
  readonly text: string;
}

export interface Overlay extends Rules {
  readonly rego: string;
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 1 << 30;
const CAPABILITIES = ['--capabilities', 'policies-rego/capabilities.json'];

/** Returns oslo.policy's answers for each file. */
export function askOslo(
  files: readonly PolicyFile[],
  defaults: ReadonlyMap<string, string>,
): readonly OsloAnswer[] {
  const cases = CASES.map(({ creds, target }) => ({ creds, target }));
  const input = JSON.stringify({ files, defaults: Object.fromEntries(defaults), cases });
  const script = path.join(import.meta.dirname, 'enforcer.py');
  // what enforcer.py, beside this file, prints
  return JSON.parse(
    outputOf(path.join(venvBin, 'python'), [script], input),
  ) as readonly OsloAnswer[];
}

/** Runs `task` with a copy of the policy, whose tests are left out, and in which it may add and replace. */
export async function withPolicy<T>(task: (directory: string) => T): Promise<Awaited<T>> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenure-oslo-'));
  try {
    cpSync(path.join(root, 'policies-rego', 'tenure'), path.join(directory, 'tenure'), {
      recursive: true,
      filter: (file) => !file.endsWith('_test.rego'),
    });
    return await task(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Compiles a policy to WASM, with one more entrypoint. */
export function compiled(directory: string, entrypoint: string): Promise<Ask> {
  const bundle = path.join(directory, 'bundle.tar.gz');
  const target = ['-t', 'wasm', '-e', entrypoint, ...CAPABILITIES];
  outputOf('opa', ['build', ...target, '-o', bundle, '-b', directory]);
  return compiledPolicy(bundle);
}

/** What OPA answers for each overlay. */
export const askOpa = (overlays: readonly Overlay[]): Promise<readonly Allowed[]> =>
  withPolicy((directory) => {
    const input = addOverlays(directory, overlays);
    const args = ['eval', '-f', 'raw', '-I', '-b', directory, 'data.tenure.difference.allowed'];
    return inOrder(JSON.parse(outputOf('opa', args, JSON.stringify(input))));
  });

/** Returns the answers of the overlays, compiled to WASM. They pass the checks of the policy first, or this throws. */
export const askWasm = (overlays: readonly Overlay[]): Promise<readonly Allowed[]> =>
  withPolicy(async (directory) => {
    const input = addOverlays(directory, overlays);
    outputOf('opa', ['check', '--strict', ...CAPABILITIES, '-b', directory]);
    const ask = await compiled(directory, 'tenure/difference/allowed');
    return inOrder(ask('tenure/difference/allowed', input));
  });

/** Names of those files that `opa fmt` would write differently. */
export const wronglyFormatted = (overlays: readonly Overlay[]): Promise<string> =>
  withPolicy((directory) => {
    addOverlays(directory, overlays);
    rmSync(path.join(directory, 'overlays', 'difference.rego'));
    return outputOf('opa', ['fmt', '-d', path.join(directory, 'overlays')]);
  });

/**
 * Runs a command in the repository's root, and gives what it printed.
 * @throws Error when it fails
 */
function outputOf(command: string, args: readonly string[], input = ''): string {
  const run = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    input,
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: TIMEOUT_MS,
  });
  if (run.status !== 0)
    throw new Error(`${command} failed: ${run.stderr.slice(-2000)}${run.stdout.slice(0, 2000)}`);
  return run.stdout;
}

/** Puts overlays side by side into a policy, each as a package of its own, and what asks them. Gives their input. */
function addOverlays(directory: string, overlays: readonly Overlay[]): unknown {
  const modules = path.join(directory, 'overlays');
  mkdirSync(modules);
  overlays.forEach(({ rego }, number) => {
    const renamed = rego.replace('package tenure.custom\n', `package tenure.custom_${number}\n`);
    writeFileSync(path.join(modules, `custom_${number}.rego`), renamed);
  });
  writeFileSync(path.join(modules, 'difference.rego'), harnessOf(overlays));
  return {
    cases: CASES.map(({ question, switches }) => ({ question, switches })),
    requests: overlays.map(({ actions, cases }) => ({ actions, cases })),
  };
}

function inOrder(allowed: unknown): readonly Allowed[] {
  const byNumber = allowed as Readonly<Record<string, Allowed>>; // the shape of the harness
  return Object.keys(byNumber).map((_, number) => byNumber[String(number)] ?? []);
}

const harnessOf = (overlays: readonly Overlay[]): string => `package tenure.difference

import data.tenure.relation
import data.tenure.view

views := [custom_view |
	some each in input.cases
	switches := object.union(data.tenure.switches, each.switches)
	custom_view := view.of({"grants": []}, relation.target) with input as each.question with data.tenure.switches as switches
]
${overlays
  .map(
    (_, number) => `
allowed["${number}"] := [[action, at] |
	some action in input.requests[${number}].actions
	some at in input.requests[${number}].cases
	data.tenure.custom_${number}.granted(action, views[at])
]
`,
  )
  .join('')}`;
