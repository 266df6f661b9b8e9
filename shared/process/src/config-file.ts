import { readFileSync } from 'node:fs';
import { type Static, type TSchema } from '@sinclair/typebox';
import { parse } from '@tenure/contracts';
import { ConfigError } from './config.js';

/**
 * A JSON file that a variable names.
 * @throws ConfigError naming the variable and the file, and nothing of what is in it but the offending place
 */
export function readConfigFile<S extends TSchema>(
  schema: S,
  variable: string,
  file: string,
): Static<S> {
  try {
    return parse(schema, JSON.parse(readFileSync(file, 'utf8')), file);
  } catch (error) {
    const what = error instanceof SyntaxError ? 'is not JSON' : messageOf(error);
    throw new ConfigError([`${variable}: ${file}: ${what}`]);
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
