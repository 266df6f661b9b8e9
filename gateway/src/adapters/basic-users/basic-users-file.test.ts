import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type FailureCounter } from '@tenure/shared-state';
import { createMemoryFailures } from '../../application/authentication/failure-counter-memory.js';
import { createFailureLimit } from '../../application/authentication/failure-limit.js';
import { type BasicUsers } from '../../ports/basic-users.js';
import { createFileUsers } from './basic-users-file.js';
import { readUsers } from './users-file.js';

/** The password of metal3 is `secret`, hashed by bcrypt at its lowest cost; that of operator is `secret` by scrypt. */
const BCRYPT = '$2b$04$NXQymoaR3/r/bCE.nS93FeqQiRjK.cXAkvMoiLHli7jFCvPJL9V9i';
const SCRYPT =
  '$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$S7FwBvpu+z8K0PUVUagFRTUAB2dAxIZpzVHvLZir+98';
const SCOPES = {
  users: {
    metal3: { roles: ['member'], project_id: 'p1' },
    operator: { user_id: 'op-1', roles: ['admin'], system_scope: 'all' },
  },
};

function files(passwords: string, scopes: unknown): readonly [string, string] {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenure-users-'));
  const names = [path.join(directory, 'htpasswd'), path.join(directory, 'scopes.json')] as const;
  writeFileSync(names[0], passwords);
  writeFileSync(names[1], JSON.stringify(scopes));
  return names;
}
const GOOD = `# people\nmetal3:${BCRYPT}\n\noperator:${SCRYPT}\n`;

const GOOD_USERS = readUsers(...files(GOOD, SCOPES));

const usersWith = (shared?: FailureCounter): BasicUsers =>
  createFileUsers(
    () => GOOD_USERS,
    createFailureLimit({ perMinute: 2, local: createMemoryFailures(), shared }),
  );

async function verdict(users: BasicUsers, name: string, password: string): Promise<unknown> {
  try {
    return (await users.identify(name, password, '192.0.2.1')).subject;
  } catch (error) {
    return typeof error === 'object' && error !== null && 'status' in error ? error.status : error;
  }
}
const OPERATOR = {
  user_id: 'op-1',
  roles: ['admin'],
  system_scope: 'all',
  project_id: null,
  domain_id: null,
};

describe('a user of the users file', () => {
  it('has the roles and scope of the scopes file, with bcrypt and with scrypt', async () => {
    const users = usersWith();
    expect(await verdict(users, 'metal3', 'secret')).toEqual({
      user_id: 'metal3',
      roles: ['member'],
      project_id: 'p1',
      system_scope: null,
      domain_id: null,
    });
    expect(await verdict(users, 'operator', 'secret')).toEqual(OPERATOR);
  });

  it('is refused with another password or name, and after a few failures for a minute', async () => {
    const users = usersWith();
    expect(await verdict(users, 'operator', 'Secret')).toBe(401);
    expect(await verdict(users, 'operator', '')).toBe(401);
    expect(await verdict(users, 'operator', 'secret')).toBe(429);
    expect(await verdict(users, 'nobody', 'secret')).toBe(401);
  });

  it('with an earlier login is not limited by the failures of others', async () => {
    const users = usersWith();
    await verdict(users, 'operator', 'secret');
    for (let count = 0; count < 3; count += 1) await verdict(users, 'operator', 'guess');
    expect(await verdict(users, 'operator', 'guess')).toBe(429);
    expect(await verdict(users, 'operator', 'secret')).toEqual(OPERATOR);
  });
});

describe('the limit of failures', () => {
  const counter = (count: () => Promise<number>): FailureCounter => ({
    count,
    add: () => Promise.resolve(),
  });

  it('counts the failures at other replicas', async () => {
    const users = usersWith(counter(() => Promise.resolve(2)));
    expect(await verdict(users, 'operator', 'secret')).toBe(429);
  });

  it('applies to each replica alone when the shared count is unavailable', async () => {
    const users = usersWith(counter(() => Promise.reject(new Error('unavailable'))));
    const verdicts = [];
    for (let count = 0; count < 3; count += 1)
      verdicts.push(await verdict(users, 'operator', 'guess'));
    expect(verdicts).toEqual([401, 401, 429]);
  });
});

describe('the two files', () => {
  it.each([
    ['a hash of no kind that is taken', `metal3:{SHA}x\noperator:${SCRYPT}`, SCOPES, 'metal3'],
    ['a line without a colon', `metal3\noperator:${SCRYPT}`, SCOPES, 'a line'],
    ['a user twice', `${GOOD}metal3:${BCRYPT}\n`, SCOPES, 'twice'],
    ['a user without a scope', GOOD, { users: { operator: SCOPES.users.operator } }, 'metal3'],
    ['a scope without a user', `metal3:${BCRYPT}`, SCOPES, 'operator'],
    [
      'two scopes at once',
      GOOD,
      { users: { ...SCOPES.users, metal3: { roles: [], project_id: 'p', system_scope: 'all' } } },
      'BASIC_AUTH_SCOPES_FILE',
    ],
    [
      'a bcrypt cost that one login could stall us with',
      `metal3:${BCRYPT.replace('$04$', '$19$')}`,
      SCOPES,
      'metal3',
    ],
  ])('stop the start with %s', (_what, passwords, scopes, message) => {
    expect(() => readUsers(...files(passwords, scopes))).toThrow(message);
  });
});
