import { readFileSync } from 'node:fs';
import { ConfigError } from './config.js';

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'error';

const read = (file: string, variable: string): string => {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/u, '');
  } catch (error) {
    throw new ConfigError([`${variable}: ${file} cannot be read (${codeOf(error)})`]);
  }
};

/**
 * A secret that is in a variable, or better in a file that another variable names, without one newline at its end.
 * @param value of the variable `name`; empty when it is not set
 * @param file of the variable `<name>_FILE`; empty when it is not set
 * @returns empty when neither is set
 * @throws ConfigError naming the variable, and nothing of the secret, when both are set or the file is empty or unreadable
 */
export const secretFrom = (value: string, file: string, name: string): string => {
  const variable = `${name}_FILE`;
  if (file === '') return value;
  if (value !== '') throw new ConfigError([`${name} and ${variable} exclude one another`]);
  const secret = read(file, variable);
  if (secret === '') throw new ConfigError([`${variable}: ${file} is empty`]);
  return secret;
};
