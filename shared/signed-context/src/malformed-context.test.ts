import { createHmac } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { NO_OBLIGATIONS, type PartName, UnauthorizedError } from '@tenure/contracts';
import jwt from 'jsonwebtoken';
import { type ContextStatement, signContext, verifyContext } from './context.js';
import { type ContextKeys, loadContextKeys } from './keys.js';

const KEY = Buffer.alloc(32, 1);

function keysOf(self: PartName): ContextKeys {
  const dir = mkdtempSync(path.join(tmpdir(), 'malformed-context-'));
  writeFileSync(path.join(dir, 'gateway--inventory.key'), KEY.toString('base64url'));
  return loadContextKeys(dir, self);
}

const inventory = keysOf('inventory');
const line = { method: 'PATCH', target: '/v1/nodes/n1' };
const statement: ContextStatement = {
  aud: 'inventory',
  request_id: 'req-1',
  ...line,
  subject: { user_id: 'u', project_id: 'p', system_scope: null, domain_id: null, roles: ['ä'] },
  action: 'baremetal:node:update',
  decision_id: 'd1',
  api_version: '1.65',
  public_base: 'http://127.0.0.1:6385',
  resources: [{ type: 'node', uuid: 'n1', tenancy_revision: 3 }],
  obligations: { ...NO_OBLIGATIONS, filter: { mode: 'none', predicates: [] } },
};
const honest = signContext(keysOf('gateway'), statement, new Uint8Array());
const [header = '', payload = '', mac = ''] = honest.split('.');

/** The result: the caller's name, `refused`, or the name of an unexpected error. */
function outcome(token: string): string {
  try {
    return verifyContext(inventory, token, line).iss;
  } catch (error) {
    if (error instanceof UnauthorizedError) return 'refused';
    return error instanceof Error ? error.name : typeof error;
  }
}

const outcomes = (tokens: readonly string[]): readonly string[] => [
  ...new Set(tokens.map(outcome)),
];

const positions = Array.from(honest).map((_character, at) => at);
const withAt = (at: number, text: string, taken = 1): string =>
  honest.slice(0, at) + text + honest.slice(at + taken);

function signed(claims: unknown, head: object = { alg: 'HS256', typ: 'JWT' }): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part(head)}.${part(claims)}`;
  return `${input}.${createHmac('sha256', KEY).update(input).digest('base64url')}`;
}
const claims = jwt.decode(honest) as Readonly<Record<string, unknown>>;

describe('a signed context', () => {
  it('is valid as it was signed', () => {
    expect(outcome(honest)).toBe('gateway');
    expect(outcome(signed(claims))).toBe('gateway');
  });

  it.each([
    ...[
      'A',
      'z',
      '0',
      '-',
      '_',
      '.',
      '=',
      '+',
      '/',
      '%',
      ' ',
      '\0',
      '\n',
      '\u007F',
      'ÿ',
      '😀',
      '"',
      '{',
    ],
  ])('is refused with %j in the place of any one of its characters', (wrong) => {
    const malformed = positions.filter((at) => honest[at] !== wrong).map((at) => withAt(at, wrong));
    expect(outcomes(malformed)).toEqual(['refused']);
  });

  it('is refused with one flipped bit in any character', () => {
    const malformed = positions.flatMap((at) =>
      [1, 2, 4, 8, 16, 32, 64].map((bit) =>
        withAt(at, String.fromCharCode(honest.charCodeAt(at) ^ bit)),
      ),
    );
    expect(outcomes(malformed)).toEqual(['refused']);
  });

  it('is refused when it is truncated, or when a character is missing or doubled', () => {
    const malformed = positions.flatMap((at) => [
      honest.slice(0, at),
      honest.slice(at + 1),
      withAt(at, ''),
      withAt(at, honest.charAt(at), 0),
      withAt(at, `%${honest.charCodeAt(at).toString(16)}`),
    ]);
    expect(outcomes(malformed)).toEqual(['refused']);
  });

  it('is refused in another encoding of the same bytes', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const bytes = Buffer.from(mac, 'base64url');
    const sameMac = Array.from(alphabet)
      .map((last) => mac.slice(0, -1) + last)
      .filter((other) => other !== mac && Buffer.from(other, 'base64url').equals(bytes));
    expect(sameMac).toHaveLength(3);
    const others = [
      ...sameMac.map((other) => `${header}.${payload}.${other}`),
      `${honest}=`,
      `${header}.${payload}=.${mac}`,
      `${header}.${payload}==.${mac}`,
      `${header}=.${payload}.${mac}`,
      `${header}.${payload}.${bytes.toString('base64')}`,
      `${header}.${payload}.${bytes.toString('hex')}`,
      `${header}. ${payload}.${mac}`,
      `${honest}\n`,
      ` ${honest}`,
    ];
    expect(outcomes(others)).toEqual(['refused']);
  });

  it('is refused when it is empty, doubled, a list, or very large', () => {
    const odd = [
      '',
      '.',
      '..',
      '...',
      `${honest}${honest}`,
      `${honest}.${honest}`,
      `${honest}, ${honest}`,
      `${honest},`,
      `${header}..${mac}`,
      `${header}.${payload}.`,
      `.${payload}.${mac}`,
      `${header}.${'A'.repeat(1_000_000)}.${mac}`,
      `${'A'.repeat(1_000_000)}.${payload}.${mac}`,
      `${honest}${'A'.repeat(1_000_000)}`,
      'a.'.repeat(500_000),
    ];
    expect(outcomes(odd)).toEqual(['refused']);
  });

  it.each(['null', '1', '"gateway"', '[]', '[{}]', '{}', 'true', '{', '', '\uFEFF{}', '[1'])(
    'is refused when its signed payload is %j',
    (text) => {
      const input = `${header}.${Buffer.from(text).toString('base64url')}`;
      const token = `${input}.${createHmac('sha256', KEY).update(input).digest('base64url')}`;
      expect(outcome(token)).toBe('refused');
    },
  );

  it('is refused when any one of its claims is missing, or of another type', () => {
    const wrong: readonly unknown[] = [
      null,
      true,
      -1,
      1.5,
      1e300,
      '',
      'x'.repeat(20_000),
      [],
      {},
      [[[{}]]],
      { toString: 1 },
    ];
    const malformed = Object.keys(claims).flatMap((name) => [
      signed(Object.fromEntries(Object.entries(claims).filter(([other]) => other !== name))),
      ...wrong
        .filter((value) => !mayBe(name, value))
        .map((value) => signed({ ...claims, [name]: value })),
    ]);
    expect(outcomes(malformed)).toEqual(['refused']);
  });

  it('is refused with an unknown claim or an unknown caller', () => {
    const malformed = [
      ...['nbf', 'sub', 'is_admin', 'constructor', '__proto__x'].map((name) =>
        signed({ ...claims, [name]: 'x' }),
      ),
      ...['', 'Gateway', 'gateway ', '__proto__', 'constructor', 'inventory', ['gateway'], {}].map(
        (iss) => signed({ ...claims, iss }),
      ),
    ];
    expect(outcomes(malformed)).toEqual(['refused']);
  });

  it.each(['none', 'HS384', 'HS512', 'RS256', 'hs256', '', 'constructor'])(
    'is refused when its header names the algorithm %j',
    (alg) => {
      expect(outcome(signed(claims, { alg, typ: 'JWT' }))).toBe('refused');
    },
  );
});

/** Values of the table above that are valid for one claim, but differ from the signed one. */
function mayBe(name: string, value: unknown): boolean {
  if (name === 'subject' || name === 'decision_id') return value === null || value === '';
  if (name === 'public_base') return value === '';
  return name === 'resources' && Array.isArray(value) && value.length === 0;
}
