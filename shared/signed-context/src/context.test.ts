import { EventEmitter, once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { UnauthorizedError } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import jwt from 'jsonwebtoken';
import { type ContextStatement, signContext, verifyBody, verifyContext } from './context.js';
import { type ContextKeys, loadContextKeys, watchContextKeys } from './keys.js';

const KEY = Buffer.alloc(32, 1).toString('base64url');
const OTHER_KEY = Buffer.alloc(32, 2).toString('base64url');

function keyDir(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'context-keys-'));
  for (const [name, text] of Object.entries(files))
    writeFileSync(path.join(dir, name), `${text}\n`);
  return dir;
}

const gateway = loadContextKeys(keyDir({ 'gateway--inventory.key': KEY }), 'gateway');
const inventory = loadContextKeys(
  keyDir({ 'gateway--inventory.key': KEY, 'conductor--inventory.key': OTHER_KEY }),
  'inventory',
);

const statement: ContextStatement = {
  aud: 'inventory',
  request_id: 'req-1',
  method: 'GET',
  target: '/v1/nodes/n1?fields=uuid',
  subject: {
    user_id: 'u',
    project_id: 'p',
    system_scope: null,
    domain_id: null,
    roles: ['reader'],
  },
  action: 'baremetal:node:get',
  decision_id: 'd1',
  api_version: '1.65',
  public_base: 'http://127.0.0.1:6385',
  resources: [{ type: 'node', uuid: 'n1', tenancy_revision: 3 }],
  obligations: {
    filter: { mode: 'none', predicates: [] },
    fields: { masked: ['driver_info'], read_only: [] },
    set: {},
  },
};
const empty = new Uint8Array();
const received = { method: 'GET', target: '/v1/nodes/n1?fields=uuid', body: empty };

interface Received {
  readonly method: string;
  readonly target: string;
  readonly body: Uint8Array;
}

function verified(
  keys: ContextKeys,
  token: string,
  { body, ...line }: Received,
): ReturnType<typeof verifyContext> {
  const claims = verifyContext(keys, token, line);
  verifyBody(claims, body);
  return claims;
}

describe('a signed context', () => {
  it('is valid for the request that it was signed for', () => {
    const claims = verified(inventory, signContext(gateway, statement, empty), received);
    expect(claims.iss).toBe('gateway');
    expect(claims.resources).toEqual([{ type: 'node', uuid: 'n1', tenancy_revision: 3 }]);
    expect(claims.obligations.fields.masked).toEqual(['driver_info']);
  });

  it.each([
    ['another method', { ...received, method: 'DELETE' }],
    ['another target', { ...received, target: '/v1/nodes/n2?fields=uuid' }],
    ['another query', { ...received, target: '/v1/nodes/n1' }],
    ['another body', { ...received, body: Buffer.from('{}') }],
  ])('is refused for %s', (_what, request) => {
    const token = signContext(gateway, statement, empty);
    expect(() => verified(inventory, token, request)).toThrow(UnauthorizedError);
  });

  it('is refused when another part signed it in the name of the gateway', () => {
    const conductor = loadContextKeys(
      keyDir({ 'conductor--inventory.key': OTHER_KEY }),
      'conductor',
    );
    const honest = signContext(conductor, statement, empty);
    expect(verified(inventory, honest, received).iss).toBe('conductor');
    const forged = jwt.sign(
      { ...(jwt.decode(honest) as object), iss: 'gateway' },
      Buffer.alloc(32, 2),
    );
    expect(() => verified(inventory, forged, received)).toThrow(UnauthorizedError);
  });

  it('is refused when it is too old', () => {
    const token = signContext(gateway, statement, empty);
    const now = Date.now();
    jest.useFakeTimers({ now: now + 31_000 });
    try {
      expect(() => verified(inventory, token, received)).toThrow(UnauthorizedError);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each([
    ['unsigned', (claims: object) => jwt.sign(claims, '', { algorithm: 'none' })],
    [
      'without an end',
      (claims: object) =>
        jwt.sign(
          Object.fromEntries(Object.entries(claims).filter(([name]) => name !== 'exp')),
          Buffer.alloc(32, 1),
        ),
    ],
    [
      'living longer than 30 s',
      (claims: object) =>
        jwt.sign({ ...claims, exp: Math.floor(Date.now() / 1000) + 60 }, Buffer.alloc(32, 1)),
    ],
    [
      'with a claim of its own',
      (claims: object) => jwt.sign({ ...claims, is_admin: true }, Buffer.alloc(32, 1)),
    ],
    [
      'for another audience',
      (claims: object) => jwt.sign({ ...claims, aud: 'conductor' }, Buffer.alloc(32, 1)),
    ],
    ['garbage', () => 'not.a.token'],
  ])('is refused when %s', (_what, forge) => {
    const claims = jwt.decode(signContext(gateway, statement, empty)) as object;
    expect(() => verified(inventory, forge(claims), received)).toThrow(UnauthorizedError);
  });

  it('is verified by an older key while a new one is rolled out', () => {
    const rotated = loadContextKeys(
      keyDir({ 'gateway--inventory.key': `${OTHER_KEY}\n${KEY}` }),
      'inventory',
    );
    expect(verified(rotated, signContext(gateway, statement, empty), received).iss).toBe('gateway');
  });
});

describe('two contexts with the same claims', () => {
  it('have different ids', () => {
    const ids = [1, 2].map(
      () => verified(inventory, signContext(gateway, statement, empty), received).jti,
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe('a body that arrives late', () => {
  it('has an expired context', () => {
    const claims = verified(inventory, signContext(gateway, statement, empty), received);
    jest.useFakeTimers({ now: Date.now() + 13_000 });
    try {
      expect(() => {
        verifyBody(claims, empty);
      }).toThrow(UnauthorizedError);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('watchContextKeys', () => {
  it('reads replaced keys, and keeps the current ones while a file is invalid', async () => {
    const dir = keyDir({ 'gateway--inventory.key': KEY });
    const log = new EventEmitter();
    const logger = {
      info: () => log.emit('read'),
      error: () => log.emit('wrong'),
    } as unknown as Logger; // only what is called
    const rotated = watchContextKeys(dir, 'inventory', logger);
    const fresh = loadContextKeys(keyDir({ 'gateway--inventory.key': OTHER_KEY }), 'gateway');
    const ofFresh = () => verified(rotated, signContext(fresh, statement, empty), received).iss;
    expect(ofFresh).toThrow(UnauthorizedError);

    writeFileSync(path.join(dir, 'gateway--inventory.key'), 'half');
    await once(log, 'wrong');
    expect(verified(rotated, signContext(gateway, statement, empty), received).iss).toBe('gateway');

    writeFileSync(path.join(dir, 'gateway--inventory.key'), `${OTHER_KEY}\n`);
    await once(log, 'read');
    expect(ofFresh()).toBe('gateway');
    expect(() => verified(rotated, signContext(gateway, statement, empty), received)).toThrow(
      UnauthorizedError,
    );
  });
});

describe('loadContextKeys', () => {
  it.each([
    ['a short key', { 'gateway--inventory.key': 'c2hvcnQ' }, /fewer than 32 bytes/u],
    ['a pair the part is not in', { 'conductor--inventory.key': KEY }, /must not hold/u],
    ['an odd file name', { 'gateway.key': KEY }, /not of the form/u],
    ['an empty file', { 'gateway--inventory.key': '' }, /no key/u],
    ['no key at all', {}, /no context keys/u],
  ])('refuses %s', (_what, files, message) => {
    expect(() => loadContextKeys(keyDir(files as Record<string, string>), 'gateway')).toThrow(
      message,
    );
  });

  it('never puts a key into its error', () => {
    const secret = 'c2VjcmV0LXNlY3JldA';
    let text = '';
    try {
      loadContextKeys(keyDir({ 'gateway--inventory.key': secret }), 'gateway');
    } catch (error) {
      text = String(error);
    }
    expect(text).toContain('fewer than 32 bytes');
    expect(text).not.toContain(secret);
  });
});
