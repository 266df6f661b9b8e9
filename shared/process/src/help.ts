import { type Variables } from './config.js';
import { TRACING_VARIABLES } from './tracing/variables.js';

/** A line for each variable: its name, what it is when it is not set, what it means. */
export function variableLines(variables: Variables): readonly string[] {
  const rows = Object.values(variables).map((variable): readonly [string, string, string] => [
    variable.env,
    defaultOf(variable),
    variable.about,
  ]);
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  return rows.map(
    ([env, fallback, text]) => `  ${env.padEnd(width(0))}  ${fallback.padEnd(width(1))}  ${text}`,
  );
}

/** The `--help` text of a part: what it does and every variable it reads. */
export const helpText = (command: string, about: string, variables: Variables): string =>
  [
    `Usage: ${command} [--help]`,
    '',
    about,
    '',
    'Environment (variable, default, meaning):',
    ...variableLines(variables),
    '',
    'Traces (docs/tracing.md):',
    ...variableLines(TRACING_VARIABLES),
    '',
  ].join('\n');

function defaultOf(variable: Variables[string]): string {
  if (variable.derive !== undefined) return 'derived';
  if (!('fallback' in variable)) return 'required';
  const fallback: unknown = variable.fallback;
  if (fallback === undefined || fallback === null) return '-';
  const text = typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
  return ['', '[]'].includes(text) ? '-' : text;
}
