import { createSecretKey, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type PartName, PARTS } from '@tenure/contracts';
import { type Logger, watchFiles } from '@tenure/process';

const MIN_KEY_BYTES = 32;
const SUFFIX = '.key';

/** Keys of one pair of caller and audience; the first one signs, all of them verify, which allows rotation. */
export type PairKeys = readonly [KeyObject, ...KeyObject[]];

/** The keys of one part: signing keys by audience, and verification keys by caller. */
export interface ContextKeys {
  readonly self: PartName;
  readonly outgoing: ReadonlyMap<PartName, PairKeys>;
  readonly incoming: ReadonlyMap<PartName, PairKeys>;
}

/** Name and text of each file with keys. */
type KeyFiles = readonly (readonly [name: string, text: string])[];

/**
 * Loads the context keys of a part: files `<caller>--<audience>.key`, one base64url key of at least 32 bytes a line.
 * Files of pairs that the part is not in are refused, because a part must not have keys that it does not need.
 * @throws Error when the directory cannot be read, a file is unusable, or there is no key at all
 */
export const loadContextKeys = (directory: string, self: PartName): ContextKeys =>
  keysIn(readKeyFiles(directory), self);

/**
 * Like `loadContextKeys`, and watches the files, so that keys are rotated without a restart.
 * @throws Error as `loadContextKeys`; later, invalid files are logged and change nothing
 */
export function watchContextKeys(directory: string, self: PartName, logger: Logger): ContextKeys {
  const { current } = watchFiles<ContextKeys>({
    what: 'context keys',
    read: () => JSON.stringify(readKeyFiles(directory)),
    make: (text) => keysIn(JSON.parse(text) as KeyFiles, self), // written by `read`
    logger,
  });
  return {
    self,
    get outgoing() {
      return current().outgoing;
    },
    get incoming() {
      return current().incoming;
    },
  };
}

function keysIn(files: KeyFiles, self: PartName): ContextKeys {
  const outgoing = new Map<PartName, PairKeys>();
  const incoming = new Map<PartName, PairKeys>();
  for (const [name, text] of files) {
    const [caller, audience] = pairOf(name);
    if (caller === self) outgoing.set(audience, pairKeysOf(name, text));
    else if (audience === self) incoming.set(caller, pairKeysOf(name, text));
    else throw new Error(`${name}: ${self} must not hold the key of another pair`);
  }
  if (outgoing.size + incoming.size === 0)
    throw new Error(`no context keys for ${self} in the key directory`);
  return { self, outgoing, incoming };
}

const readKeyFiles = (directory: string): KeyFiles =>
  readdirSync(directory)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => [name, readFileSync(path.join(directory, name), 'utf8')]);

function pairOf(name: string): readonly [caller: PartName, audience: PartName] {
  const [caller = '', audience = '', ...rest] = name.slice(0, -SUFFIX.length).split('--');
  if (rest.length > 0 || !isPart(caller) || !isPart(audience))
    throw new Error(`${name}: not of the form <caller>--<audience>.key`);
  return [caller, audience];
}

function pairKeysOf(name: string, text: string): PairKeys {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const keys = lines.map((line) => {
    if (!/^[A-Za-z0-9_-]+$/u.test(line)) throw new Error(`${name}: a key is not base64url`);
    const bytes = Buffer.from(line, 'base64url');
    if (bytes.length < MIN_KEY_BYTES)
      throw new Error(`${name}: a key has fewer than ${String(MIN_KEY_BYTES)} bytes`);
    return createSecretKey(bytes);
  });
  const [first, ...rest] = keys;
  if (first === undefined) throw new Error(`${name}: no key in it`);
  return [first, ...rest];
}

const isPart = (name: string): name is PartName => (PARTS as readonly string[]).includes(name);
