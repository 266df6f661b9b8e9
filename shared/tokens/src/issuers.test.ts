import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@tenure/process';
import { type Issuers, openIssuers } from './issuers.js';

const NOW = 1_000_000;
const CLAIMS = {
  iss: 'tenure-dev',
  aud: 'tenure',
  iat: NOW - 1,
  exp: NOW + 60,
  jti: 'j',
  sub: 'nova',
  roles: ['service'],
  project_id: '5f',
};

let directory: string;
let opened: Issuers;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'issuers-'));
  opened = openIssuers(
    {
      devTokens: true,
      devKeyFile: path.join(directory, 'private.jwk.json'),
      jwksUrls: ['http://127.0.0.1:1/keys'],
      tokenIssuer: 'outside',
      tokenAudience: 'tenure',
      tokenIssuersFile: '',
      jwksRefreshMs: 3_600_000,
      jwksCooldownMs: 1000,
    },
    createLogger('gateway', 'fatal'),
  );
});

afterEach(() => {
  opened.stop();
  rmSync(directory, { recursive: true });
});

const domainSeenBy = (issuer: string, claims: Readonly<Record<string, unknown>>): unknown =>
  opened.issuers.find(({ name }) => name === issuer)?.identityOf({ ...CLAIMS, ...claims }, NOW)
    .subject.project_domain_id;

describe("the domain of a project's name", () => {
  it('is the default one in a development token that names no other', () => {
    expect(domainSeenBy('tenure-dev', { project_name: 'service' })).toBe('default');
    const named = { project_name: 'service', project_domain_id: 'd2' };
    expect(domainSeenBy('tenure-dev', named)).toBe('d2');
    expect(domainSeenBy('tenure-dev', {})).toBeUndefined();
  });

  it('is unknown in a token of an outside issuer that names none', () => {
    expect(domainSeenBy('outside', { project_name: 'service' })).toBeUndefined();
  });
});
