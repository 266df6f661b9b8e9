import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { isTenancyId, type Subject, TenancyId } from '@tenure/contracts';
import { ConfigError, readConfigFile } from '@tenure/process';
import { type PasswordHash, passwordHash } from './password-hash.js';

/** A user who logs in with name and password. */
export interface FileUser {
  readonly hash: PasswordHash;
  /** The hash as written in the file. */
  readonly written: string;
  readonly subject: Subject;
}

const Id = Type.String({ minLength: 1, maxLength: 255 });
const Roles = Type.Array(Id, { maxItems: 64 });

/** `BASIC_AUTH_SCOPES_FILE`: roles and scope of each user of `BASIC_AUTH_FILE`. */
const ScopesFile = Type.Object(
  {
    users: Type.Record(
      Id,
      Type.Union([
        Type.Object(
          {
            user_id: Type.Optional(TenancyId),
            roles: Roles,
            project_id: TenancyId,
            project_name: Type.Optional(Id),
            project_domain_id: Type.Optional(Id),
          },
          { additionalProperties: false },
        ),
        Type.Object(
          { user_id: Type.Optional(TenancyId), roles: Roles, system_scope: Type.Literal('all') },
          { additionalProperties: false },
        ),
      ]),
    ),
  },
  { additionalProperties: false },
);

type Scope = Static<typeof ScopesFile>['users'][string];

/**
 * The users of the two files together: `user:hash` lines, and roles and scope of each user.
 * @throws ConfigError when a file cannot be read, a hash is of an unsupported kind, or a user occurs twice or in one file only
 */
export function readUsers(passwordFile: string, scopesFile: string): ReadonlyMap<string, FileUser> {
  const file = readConfigFile(ScopesFile, 'BASIC_AUTH_SCOPES_FILE', scopesFile);
  const scopes = new Map(Object.entries(file.users));
  const users = new Map<string, FileUser>();
  const problems: string[] = [];
  for (const [name, text] of linesOf(passwordFile)) {
    const hash = passwordHash(text);
    const scope = scopes.get(name);
    const who = name === '' ? 'a line' : `user ${name}`;
    if (hash === undefined) problems.push(`BASIC_AUTH_FILE: ${who} has no bcrypt or scrypt hash`);
    else if (scope === undefined) problems.push(`BASIC_AUTH_SCOPES_FILE: nothing about ${who}`);
    else if (users.has(name)) problems.push(`BASIC_AUTH_FILE: ${who} is there twice`);
    else users.set(name, userOf(name, { hash, written: text }, scope));
  }
  for (const name of scopes.keys())
    if (!users.has(name)) problems.push(`BASIC_AUTH_FILE: user ${name} is not there`);
  problems.push(...idProblems([...users.values()]));
  if (problems.length > 0) throw new ConfigError(problems);
  return users;
}

const linesOf = (file: string): readonly (readonly [user: string, hash: string])[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, Math.max(colon, 0)), line.slice(colon + 1)];
    });

function userOf(
  name: string,
  { hash, written }: Pick<FileUser, 'hash' | 'written'>,
  scope: Scope,
): FileUser {
  const { user_id: userId, ...rest } = scope;
  const subject: Subject = {
    user_id: userId ?? name,
    project_id: null,
    system_scope: null,
    domain_id: null,
    ...rest,
  };
  return { hash, written, subject };
}

const idProblems = (users: readonly FileUser[]): readonly string[] =>
  users
    .filter(({ subject }) => !isTenancyId(subject.user_id))
    .map(({ subject }) => `BASIC_AUTH_FILE: ${JSON.stringify(subject.user_id)} is not an id`);
