import { randomBytes, scryptSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** A user of the Basic files. */
interface BasicUser {
  readonly name: string;
  readonly password: string;
  readonly roles: readonly string[];
  readonly project_id?: string;
  readonly system_scope?: 'all';
}

/** Writes both files into a directory; the variables that name them. */
export function writeUsers(
  directory: string,
  users: readonly BasicUser[],
): Readonly<Record<string, string>> {
  const scopes = users.map(({ name, password: _password, ...scope }) => [name, scope] as const);
  const file = path.join(directory, 'htpasswd');
  const scopesFile = path.join(directory, 'scopes.json');
  writeFileSync(file, users.map(lineOf).join(''));
  writeFileSync(scopesFile, JSON.stringify({ users: Object.fromEntries(scopes) }));
  return { BASIC_AUTH_FILE: file, BASIC_AUTH_SCOPES_FILE: scopesFile };
}

function lineOf({ name, password }: BasicUser): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 12, r: 8, p: 1 });
  return `${name}:$scrypt$ln=12,r=8,p=1$${bare(salt)}$${bare(hash)}\n`;
}

const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/u, '');
