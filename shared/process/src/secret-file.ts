import { readFileSync } from 'node:fs';
import { ConfigError } from './config.js';

const ONE_NEWLINE = /\r?\n$/u;

const contentOf = (file: string, variable: string): string => {
  try {
    return readFileSync(file, 'utf8').replace(ONE_NEWLINE, '');
  } catch {
    // without the system's message: it may hold more than the path, and the path is in the environment
    throw new ConfigError([`${variable}: the file cannot be read`]);
  }
};

/**
 * A secret that is given as it is or in a file, so that it need not stand in the environment. One newline at the end of the
 * file is none of it.
 * @param value what the variable `name` holds; undefined or empty when it is not set
 * @param file what the variable `name`_FILE holds, likewise
 * @returns the secret; empty when neither is set
 * @throws ConfigError naming the variable when both are set, or the file is empty or cannot be read; never with the secret
 */
export const secretFrom = (
  value: string | null | undefined,
  file: string | null | undefined,
  name: string,
): string => {
  const given = value ?? '';
  if ((file ?? '') === '') return given;
  const variable = `${name}_FILE`;
  if (given !== '') throw new ConfigError([`${name} and ${variable} are both set`]);
  const content = contentOf(file ?? '', variable);
  if (content === '') throw new ConfigError([`${variable}: the file is empty`]);
  return content;
};
