import { readFileSync } from 'node:fs';
import { memberOf } from '@tenure/policy';
import { type Environment } from '@tenure/process';
import { Option } from 'commander';

/** How to reach the admin listener of a decision point. */
export interface AdminOptions {
  readonly url: string;
  readonly tokenFile?: string;
  readonly json?: true;
}

const DEADLINE_MS = 30_000;
const MAX_ANSWER = 16 * 1024 * 1024;
const DEFAULT_PORT = 8181;
const ADMIN_DISTANCE = 1000;

/** The answer of a decision point. */
export interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
}

export const urlOption = (env: Environment): Option =>
  new Option('--url <url>', 'admin listener of the decision point (PDP_ADMIN_URL)').default(
    defaultUrl(env),
  );

export function tokenOption(env: Environment): Option {
  const option = new Option('--token-file <file>', 'its bearer token (PDP_ADMIN_TOKEN_FILE)');
  const file = env['PDP_ADMIN_TOKEN_FILE'];
  return file === undefined ? option : option.default(file);
}

/**
 * Sends a request to the admin listener of a decision point.
 * @throws Error when it does not answer, or the answer is not JSON
 */
export async function askAdmin(
  { url, tokenFile }: AdminOptions,
  [method, path]: readonly ['GET' | 'POST', string],
  body?: object,
): Promise<AdminAnswer> {
  const token = tokenIn(tokenFile);
  const response = await fetch(new URL(path, url), {
    method,
    redirect: 'error',
    signal: AbortSignal.timeout(DEADLINE_MS),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Error(`no answer from ${url}`, { cause: error });
  });
  const text = await response.text();
  if (text.length > MAX_ANSWER) throw new Error(`${url} answered more than it should`);
  try {
    return { status: response.status, body: JSON.parse(text) as unknown };
  } catch (error) {
    throw new Error(`${url} answered ${String(response.status)}, and no JSON`, { cause: error });
  }
}

/** The message of a problem document. */
export function problemIn({ status, body }: AdminAnswer): string {
  const message = memberOf(body, 'detail') ?? memberOf(body, 'title');
  return typeof message === 'string' ? message : `it answered ${String(status)}`;
}

function defaultUrl(env: Environment): string {
  const port =
    env['PDP_ADMIN_PORT'] ?? String(Number(env['PDP_PORT'] ?? DEFAULT_PORT) + ADMIN_DISTANCE);
  return env['PDP_ADMIN_URL'] ?? `http://127.0.0.1:${port}`;
}

const tokenIn = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : readFileSync(file, 'utf8').split(/\r?\n/u)[0]?.trim();
