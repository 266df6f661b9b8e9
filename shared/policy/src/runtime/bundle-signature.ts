import { createHash } from 'node:crypto';
import path from 'node:path';
import { PolicyRefused } from '../failures.js';
import { isJsonObject, type JsonObject, memberOf } from '../json-object.js';
import { type PinnedKey, type SigningKey, signJws, verifyJws } from '../jws.js';
import { type BundleEntries } from './bundle-entries.js';

/** The keys that may sign a bundle. */
export interface BundlePins {
  readonly keys: readonly PinnedKey[];
  /** The scope that the signature must be for; the empty one when absent. */
  readonly scope?: string;
}

const SIGNATURES_FILE = '.signatures.json';
const ALGORITHM = 'SHA-256';
/** Files that OPA hashes as values, not as bytes. */
const STRUCTURED: readonly string[] = ['data.json', '.manifest'];
/** Data files that OPA reads and this package does not. */
const YAML: readonly string[] = ['data.yaml', 'data.yml'];

/**
 * The bundle with a signature over all of its files, in OPA's format; a signature that it had is replaced.
 * @throws PolicyRefused for a bundle that cannot be signed
 */
export function signBundle(entries: BundleEntries, key: SigningKey, scope = ''): BundleEntries {
  const files = [...hashesOf(entries)].map(([name, hash]) => ({
    name,
    hash,
    algorithm: ALGORITHM,
  }));
  const payload = { files, keyid: key.id, ...(scope !== '' && { scope }) };
  const signatures = { signatures: [signJws(payload, key)] };
  const signed = new Map(entries);
  return signed.set(SIGNATURES_FILE, Buffer.from(`${JSON.stringify(signatures)}\n`));
}

/**
 * Verifies the signature of a bundle: made with one of the pinned keys and that key's algorithm, for this scope, and over
 * every file that the bundle has and no other.
 * @returns the id of the key
 * @throws PolicyRefused with the reason
 */
export function verifyBundle(entries: BundleEntries, { keys, scope = '' }: BundlePins): string {
  const { payload, keyId } = verifyJws(tokenIn(entries), keys);
  if ((payload['scope'] ?? '') !== scope) return refuse('it is for another scope');
  const listed = listedIn(payload);
  const present = hashesOf(entries);
  for (const [name, hash] of present) {
    const expected = listed.get(name);
    if (expected === undefined) return refuse(`${name} is not signed`);
    if (expected !== hash) return refuse(`${name} was changed`);
  }
  const missing = [...listed.keys()].find((name) => !present.has(name));
  if (missing !== undefined) return refuse(`${missing} is missing`);
  return keyId;
}

/** Every file but the signature itself, with its hash. */
function hashesOf(entries: BundleEntries): ReadonlyMap<string, string> {
  const others = [...entries].filter(([name]) => name !== SIGNATURES_FILE);
  // OPA takes every file with this ending for a signature, and does not hash it.
  const posing = others.find(([name]) => name.endsWith(SIGNATURES_FILE));
  if (posing !== undefined) return refuse(`${posing[0]} is not where signatures are`);
  return new Map(others.map(([name, content]) => [name, hashOf(name, content)]));
}

function refuse(what: string): never {
  throw new PolicyRefused(`the bundle's signature is refused: ${what}`);
}

function hashOf(name: string, content: Uint8Array): string {
  const base = path.posix.basename(name);
  if (YAML.includes(base))
    return refuse(`${name} is data in YAML; build the bundle with opa build`);
  const bytes = STRUCTURED.includes(base) ? hashedText(parsed(name, content)) : content;
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The text of a value that OPA hashes: members in the order of their UTF-8. A number that JavaScript writes otherwise than
 * the file does hashes otherwise, and the bundle is refused.
 */
function hashedText(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(hashedText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .map((name) => `${quoted(name)}:${hashedText(value[name])}`);
  return `{${members.join(',')}}`;
}

function parsed(name: string, content: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(content));
  } catch {
    return refuse(`${name} is not valid JSON`);
  }
}

// Go writes these two as escapes, and a lone surrogate as the replacement character.
const quoted = (text: string): string =>
  JSON.stringify(text.toWellFormed())
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);

const textOf = (content: Uint8Array): string => Buffer.from(content).toString('utf8');

function tokenIn(entries: BundleEntries): string {
  const content = entries.get(SIGNATURES_FILE);
  if (content === undefined) return refuse(`it has no ${SIGNATURES_FILE}`);
  const tokens = memberOf(parsed(SIGNATURES_FILE, content), 'signatures');
  if (!Array.isArray(tokens) || tokens.length !== 1) return refuse('there must be just one');
  const [token] = tokens as readonly unknown[];
  return typeof token === 'string' ? token : refuse('it is no text');
}

function listedIn(payload: JsonObject): ReadonlyMap<string, string> {
  const { files } = payload;
  if (!Array.isArray(files)) return refuse('it lists no files');
  const listed = new Map<string, string>();
  for (const file of files as readonly unknown[]) {
    if (!isListed(file)) return refuse(`it lists a file without name or ${ALGORITHM} hash`);
    if (listed.has(file.name)) return refuse(`it lists ${file.name} twice`);
    listed.set(file.name, file.hash);
  }
  return listed;
}

const isListed = (value: unknown): value is { readonly name: string; readonly hash: string } =>
  typeof memberOf(value, 'name') === 'string' &&
  typeof memberOf(value, 'hash') === 'string' &&
  memberOf(value, 'algorithm') === ALGORITHM;
