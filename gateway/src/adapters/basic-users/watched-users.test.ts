import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Logger, type Watched } from '@tenure/process';
import { createFileUsers } from './basic-users-file.js';
import { type Users, watchUsers } from './watched-users.js';

/** The password is `secret`, by scrypt. */
const SECRET =
  '$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$S7FwBvpu+z8K0PUVUagFRTUAB2dAxIZpzVHvLZir+98';
/** The password is `secret`, by bcrypt. */
const AGAIN = '$2b$04$NXQymoaR3/r/bCE.nS93FeqQiRjK.cXAkvMoiLHli7jFCvPJL9V9i';
const MEMBER = { roles: ['member'], project_id: 'p1' };

let passwordFile: string;
let scopesFile: string;
let log: EventEmitter;
let watched: Watched<Users>;
let checks: number;

function write(lines: readonly string[], users: object): void {
  writeFileSync(scopesFile, JSON.stringify({ users }));
  writeFileSync(passwordFile, lines.map((line) => `${line}\n`).join(''));
}

beforeEach(() => {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenure-watched-'));
  passwordFile = path.join(directory, 'htpasswd');
  scopesFile = path.join(directory, 'scopes.json');
  write([`olga:${SECRET}`, `lena:${SECRET}`], { olga: MEMBER, lena: MEMBER });
  log = new EventEmitter();
  const logger = {
    info: () => log.emit('read'),
    error: () => log.emit('wrong'),
  } as unknown as Logger; // only what is called
  watched = watchUsers({ passwordFile, scopesFile, everyMs: 5, logger });
  checks = 0;
});
afterEach(() => {
  watched.stop();
});

async function login(users: ReturnType<typeof createFileUsers>, name: string): Promise<unknown> {
  try {
    return (await users.identify(name, 'secret', '192.0.2.1')).subject.roles;
  } catch (error) {
    return typeof error === 'object' && error !== null && 'status' in error ? error.status : error;
  }
}
const counting = (): ReturnType<typeof createFileUsers> =>
  createFileUsers(watched.current, {
    guard: (_name, attempt) => {
      checks += 1;
      return attempt();
    },
  });

describe('users files that change while the gateway runs', () => {
  it('accept added users, refuse removed ones, and change roles, also after earlier logins', async () => {
    const users = counting();
    expect([await login(users, 'olga'), await login(users, 'lena')]).toEqual([
      ['member'],
      ['member'],
    ]);
    const changed = once(log, 'read');
    write([`olga:${SECRET}`, `theo:${SECRET}`], {
      olga: { ...MEMBER, roles: ['reader'] },
      theo: MEMBER,
    });
    await changed;
    // Both files are read in one go, but may have been caught between the two writes: then they are read once more.
    while (!watched.current().has('theo')) await once(log, 'read');
    expect(await login(users, 'olga')).toEqual(['reader']);
    expect(await login(users, 'lena')).toBe(401);
    expect(await login(users, 'theo')).toEqual(['member']);
  });

  it('keep the cached login of an unchanged user, and drop it after a change of password', async () => {
    const users = counting();
    await login(users, 'olga');
    await login(users, 'lena');
    const changed = once(log, 'read');
    writeFileSync(passwordFile, `olga:${SECRET}\nlena:${AGAIN}\n`);
    await changed;
    await login(users, 'olga');
    expect(checks).toBe(2);
    await login(users, 'lena');
    expect(checks).toBe(3);
  });

  it.each([
    [
      'wrong',
      (): void => {
        writeFileSync(passwordFile, `olga:${SECRET.slice(0, 20)}`);
      },
    ],
    [
      'missing',
      (): void => {
        rmSync(passwordFile);
      },
    ],
  ])('change nothing while one of them is %s', async (_what, spoil) => {
    const users = counting();
    const wrong = once(log, 'wrong');
    spoil();
    await wrong;
    expect(await login(users, 'lena')).toEqual(['member']);
    const read = once(log, 'read');
    write([`olga:${SECRET}`], { olga: MEMBER });
    await read;
    expect(await login(users, 'lena')).toBe(401);
  });
});
