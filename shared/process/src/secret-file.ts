import { readFileSync } from 'node:fs';
import { ConfigError } from './config.js';

const ONE_NEWLINE = /\r?\n$/u;

/**
 * A secret that is in a variable, or better in a file that another variable names, without one newline at its end.
 * @param value of the variable `name`; undefined, null or empty when it is not set
 * @param file of the variable `<name>_FILE`, likewise
 * @returns the secret; empty when neither is set
 * @throws ConfigError naming the variable, and nothing of the secret, when both are set or the file is empty or unreadable
 */
export function secretFrom(
  value: string | null | undefined,
  file: string | null | undefined,
  name: string,
): string {
  const given = value ?? '';
  const place = file ?? '';
  const variable = `${name}_FILE`;
  if (place === '') return given;
  if (given !== '') throw new ConfigError([`${name} and ${variable} exclude one another`]);
  const secret = contentOf(place, variable);
  if (secret === '') throw new ConfigError([`${variable}: ${place} is empty`]);
  return secret;
}

function contentOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8').replace(ONE_NEWLINE, '');
  } catch (error) {
    throw new ConfigError([`${variable}: ${file} cannot be read (${codeOf(error)})`]);
  }
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'error';
