import { createHash } from 'node:crypto';
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { PolicyRefused } from './failures.js';
import { isJsonObject, type JsonObject, memberOf } from './json-object.js';
import { type PinnedKey, type SigningKey, signJws, verifyJws } from './jws.js';
import { revisionOf, tablesOf } from './policy-data.js';

/** File name of an isolation certificate in a bundle. */
export const CERTIFICATE_FILE = 'tenure/certificate.jws';

const FORMAT = 'tenure-isolation-certificate/1';
const TYP = 'tenure-isolation-certificate+jwt';

const Count = Type.Integer({ minimum: 0 });
const Name = Type.String({ minLength: 1, maxLength: 255 });

const exactly = <P extends TProperties>(properties: P): TObject<P> =>
  Type.Object(properties, { additionalProperties: false });

/** How much was enumerated. */
const Model = exactly({
  questions: Count,
  actions: Count,
  scopes: Count,
  role_sets: Count,
  relations: Count,
  switch_combinations: Count,
});

/** Facts proven about a policy, with prover and time. docs/policy/commands.md describes each member. */
export const IsolationCertificate = exactly({
  format: Type.Literal(FORMAT),
  /** Digest of the policy and its data without its switches, as `certifiedDigest` gives it. */
  policy: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
  /** The revision that the decision point reports when no switch is set. */
  revision: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
  overlays: Type.Array(
    exactly({ file: Name, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
    { maxItems: 256 },
  ),
  /** Switches that were tried in every combination. */
  switches: Type.Array(Name, { maxItems: 64 }),
  model: Model,
  invariants: Type.Array(
    exactly({
      name: Name,
      sentence: Type.String({ minLength: 1, maxLength: 1024 }),
      looked: Type.Integer({ minimum: 1 }),
      broken: Count,
    }),
    { minItems: 1, maxItems: 256 },
  ),
  issued_at: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$` }),
  tool: exactly({ name: Name, version: Name }),
});
export type IsolationCertificate = Static<typeof IsolationCertificate>;

/** The policy that a certificate must match, with its overlays. */
export interface CertifiedPolicy {
  readonly wasm: Uint8Array;
  /** With overlays; switches do not matter. */
  readonly data: JsonObject;
}

/**
 * Digest of the policy that a certificate covers, without its switches: each combination of them was proven, so that an
 * operator may set them without a new certificate.
 */
export function certifiedDigest(wasm: Uint8Array, data: unknown): string {
  const tenure = memberOf(data, 'tenure');
  const kept = Object.entries(isJsonObject(tenure) ? tenure : {}).filter(
    ([name]) => name !== 'switches',
  );
  return revisionOf(wasm, { ...(isJsonObject(data) && data), tenure: Object.fromEntries(kept) });
}

/** The certificate of an overlay's text. */
export const overlayDigest = (text: string): string =>
  createHash('sha256').update(text).digest('hex');

/** A compact JWS of the certificate. */
export const signCertificate = (
  certificate: Omit<IsolationCertificate, 'format'>,
  key: SigningKey,
): string => signJws({ format: FORMAT, ...certificate }, key, TYP);

/**
 * Verifies that a certificate is signed with a pinned ES256 key, is about this very policy, covers each of its actions and
 * found nothing broken.
 * @param text compact JWS, white space around it allowed
 * @throws PolicyRefused with the reason
 */
export function verifyCertificate(
  text: string,
  keys: readonly PinnedKey[],
  { wasm, data }: CertifiedPolicy,
): IsolationCertificate {
  const pins = keys.filter(({ alg }) => alg === 'ES256');
  const { payload } = verifyJws(text.trim(), pins, TYP);
  if (!matches(IsolationCertificate, payload)) return refuse(`it is not of the form ${FORMAT}`);
  if (payload.policy !== certifiedDigest(wasm, data)) return refuse('it is about another policy');
  const broken = payload.invariants.find((each) => each.broken > 0);
  if (broken !== undefined) return refuse(`${broken.name} is broken`);
  if (payload.model.actions !== Object.keys(tablesOf(data).actions).length)
    return refuse('it does not cover every action');
  if (payload.model.switch_combinations !== 2 ** payload.switches.length)
    return refuse('it does not cover every combination of the switches');
  return payload;
}

function refuse(what: string): never {
  throw new PolicyRefused(`the certificate is refused: ${what}`);
}
