import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Finding, note, warning } from './finding.js';

const GOLDEN = path.join('golden', 'persona_matrix.golden.txt');
const DEADLINE_MS = 60_000;
const MAX_OUTPUT = 4096;

/** Actions without a line in the golden table: a change of their callers would not show in its diff. */
export async function notInGoldenTable(
  sources: string,
  actions: readonly string[],
): Promise<readonly Finding[]> {
  const file = path.join(sources, GOLDEN);
  if (!(await exists(file))) return [];
  const lines = (await readFile(file, 'utf8')).split('\n');
  const tested = new Set(lines.map((line) => line.split(' ')[0]));
  return actions
    .filter((action) => !tested.has(action))
    .map((action) =>
      warning(
        'not-in-golden-table',
        action,
        `${GOLDEN} has no line for it; make policy writes one`,
      ),
    );
}

/** `opa check --strict` over the sources, if there are sources and `opa` is on PATH. */
export async function opaCheck(sources: string): Promise<readonly Finding[]> {
  if (!(await exists(path.join(sources, 'tenure'))))
    return [notChecked(`no sources in ${sources}`)];
  const child = spawn('opa', ['check', '--strict', '-b', sources], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(0, MAX_OUTPUT);
    });
  try {
    const [status] = (await once(child, 'close')) as readonly unknown[]; // as Node documents it
    if (status === 0) return [];
  } catch {
    return [notChecked('not run: there is no opa on PATH')];
  }
  return [
    warning(
      'opa-check',
      sources,
      `opa check --strict: ${output.trim() === '' ? 'ended without a word' : output.trim()}`,
    ),
  ];
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const notChecked = (message: string): Finding => note('opa-check', 'opa check', message);
