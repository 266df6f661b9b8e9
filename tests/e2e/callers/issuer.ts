import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { hmacJwt, signedJwt } from '../../support/jwt.js';

type Json = Readonly<Record<string, unknown>>;

/** The behaviour of an issuer when its keys are requested. */
type Mood = 'answers' | 'is silent' | 'fails';

/** Someone who issues tokens as OIDC providers do, with keys on a web page. */
export interface Issuer {
  /** `iss` of its tokens. */
  readonly name: string;
  readonly keysUrl: string;
  /** Makes a key and publishes it, unless it is to be kept back. */
  newKey(kid: string, options?: { readonly published: boolean }): void;
  publish(kid: string): void;
  withdraw(kid: string): void;
  /** A token for `tenure`, good for an hour, unless the claims say otherwise. */
  token(kid: string, claims: Json, header?: Json): string;
  /** The same, under a MAC for which the public key is the secret. */
  forgedToken(kid: string, claims: Json): string;
  readonly become: (mood: Mood) => void;
  /** Resolves when somebody asks for the keys. */
  readonly requested: () => Promise<unknown>;
  readonly stop: () => void;
}

interface Key {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface KeyPage {
  readonly origin: string;
  readonly become: (mood: Mood) => void;
  readonly requested: () => Promise<unknown>;
  readonly stop: () => void;
}

/** Starts an issuer whose keys are all for one algorithm, and which has none yet. */
export async function startIssuer(algorithm: 'ES256' | 'RS256'): Promise<Issuer> {
  const pairs = new Map<string, Key>();
  const published = new Set<string>();
  const pairOf = (kid: string): Key => {
    const pair = pairs.get(kid);
    if (pair === undefined) throw new Error(`there is no key ${kid}`);
    return pair;
  };
  const page = await startKeyPage(() =>
    [...published].map((kid) => ({ ...pairOf(kid).publicKey.export({ format: 'jwk' }), kid })),
  );
  const name = `${page.origin}/realm`;
  const claimed = (claims: Json): Json => {
    const now = Math.floor(Date.now() / 1000);
    return { iss: name, aud: 'tenure', iat: now, exp: now + 3600, jti: randomUUID(), ...claims };
  };
  return {
    name,
    keysUrl: `${page.origin}/keys`,
    newKey: (kid, options = { published: true }) => {
      pairs.set(kid, newPair(algorithm));
      if (options.published) published.add(kid);
    },
    publish: (kid) => {
      published.add(kid);
    },
    withdraw: (kid) => {
      published.delete(kid);
    },
    token: (kid, claims, header = {}) =>
      signedJwt({ kid, ...header }, claimed(claims), pairOf(kid).privateKey),
    forgedToken: (kid, claims) =>
      hmacJwt(
        { kid },
        claimed(claims),
        pairOf(kid).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      ),
    become: page.become,
    requested: page.requested,
    stop: page.stop,
  };
}

async function startKeyPage(keys: () => readonly Json[]): Promise<KeyPage> {
  let mood: Mood = 'answers';
  const server = createServer((_request, response) => {
    if (mood === 'is silent') return;
    response.writeHead(mood === 'fails' ? 500 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ keys: keys() }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    become: (next) => {
      mood = next;
    },
    requested: () => once(server, 'request'),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const newPair = (type: 'ES256' | 'RS256'): Key =>
  type === 'ES256'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
