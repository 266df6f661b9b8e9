import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Tenure } from './tenure.js';

/** The claims of a part about a request to another, as docs/contracts/signed-context.md lays down. */
export type Claims = Readonly<Record<string, unknown>>;

interface Statement {
  readonly caller: string;
  readonly audience: string;
  readonly method: string;
  readonly target: string;
  readonly body?: string;
}

/** The key that two parts of a running Tenure share. */
export function contextKey(
  tenure: Pick<Tenure, 'dataDir'>,
  caller: string,
  audience: string,
): Buffer {
  const file = path.join(tenure.dataDir, 'keys', caller, `${caller}--${audience}.key`);
  return Buffer.from(readFileSync(file, 'utf8').split('\n')[0]?.trim() ?? '', 'base64url');
}

/** A key that nobody holds. */
export const unknownKey = (): Buffer => randomBytes(32);

/** Honest claims of a system reader's GET; a test changes what it wants to be wrong. */
export function claimsOf({ caller, audience, method, target, body = '' }: Statement): Claims {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: caller,
    aud: audience,
    iat: now,
    exp: now + 10,
    jti: randomUUID(),
    request_id: 'req-00000000-0000-4000-8000-000000000000',
    method,
    target,
    body_sha256: createHash('sha256').update(body).digest('base64url'),
    subject: {
      user_id: 'u',
      project_id: null,
      system_scope: 'all',
      domain_id: null,
      roles: ['reader'],
    },
    action: 'baremetal:node:list',
    decision_id: 'decision',
    api_version: '1.65',
    public_base: 'http://127.0.0.1:6385',
    resources: [],
    obligations: {
      filter: { mode: 'all', predicates: [] },
      fields: { masked: [], read_only: [] },
      set: {},
    },
  };
}

/** Signs claims as they are, right or wrong (HS256; `alg` only to be wrong). */
export function sign(claims: Claims, key: Buffer, alg = 'HS256'): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${alg === 'none' ? '' : createHmac('sha256', key).update(signed).digest('base64url')}`;
}
