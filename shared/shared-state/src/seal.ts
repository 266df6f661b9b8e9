import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Values that lie where others may write. Each carries a MAC over its purpose, its name and its text, so that one that was
 * made up, changed, or moved to another name is not a value at all.
 */
export interface Seal {
  readonly seal: (purpose: string, name: string, value: unknown) => string;
  /** The value, or undefined when it was not sealed with this key for this purpose and name. */
  readonly open: (purpose: string, name: string, text: string) => unknown;
  /** A name for a secret. It cannot be computed or guessed without the key. */
  readonly nameOf: (purpose: string, secret: string) => string;
}

const VERSION = 'v1';
const MAC_LENGTH = 43;
const PREFIX_LENGTH = VERSION.length + 1 + MAC_LENGTH + 1;

/** Keys of at least 32 bytes, the same for all who share the values: the first seals, all open. */
export type SealKeys = readonly [Buffer, ...Buffer[]];

/** @param keys returns the current keys */
export const sealBy = (keys: () => SealKeys): Seal => ({
  seal: (purpose, name, value) => {
    const text = JSON.stringify(value);
    return `${VERSION}.${macOf(keys()[0], [purpose, name, text])}.${text}`;
  },
  open: (purpose, name, sealed) => {
    const text = sealed.slice(PREFIX_LENGTH);
    const given = Buffer.from(sealed.slice(0, PREFIX_LENGTH));
    const isBy = (key: Buffer): boolean => {
      const expected = Buffer.from(`${VERSION}.${macOf(key, [purpose, name, text])}.`);
      return given.length === expected.length && timingSafeEqual(given, expected);
    };
    return keys().some(isBy) ? (JSON.parse(text) as unknown) : undefined; // sealed by ourselves, so it is JSON
  },
  nameOf: (purpose, secret) => macOf(keys()[0], [purpose, secret]),
});

export const createSeal = (...keys: SealKeys): Seal => sealBy(() => keys);

// Lengths first, so that no two different triples are the same bytes.
function macOf(key: Buffer, parts: readonly string[]): string {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(`${Buffer.byteLength(part)}:`).update(part);
  return mac.digest('base64url');
}
