import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Values that lie where others may write. Each carries a MAC over its purpose, its name and its text, so that one that was
 * made up, changed, or moved to another name is not a value at all.
 */
export interface Seal {
  readonly seal: (purpose: string, name: string, value: unknown) => string;
  /** The value, or undefined when it was not sealed with this key for this purpose and name. */
  readonly open: (purpose: string, name: string, text: string) => unknown;
  /** A name for something secret: who does not hold the key can neither compute nor guess it. */
  readonly nameOf: (purpose: string, secret: string) => string;
}

const VERSION = 'v1';
const MAC_LENGTH = 43;
const PREFIX_LENGTH = VERSION.length + 1 + MAC_LENGTH + 1;

/** @param key at least 32 bytes, the same for all who share the values */
export const createSeal = (key: Buffer): Seal => {
  // Lengths first, so that no two different triples are the same bytes.
  const macOf = (parts: readonly string[]): string => {
    const mac = createHmac('sha256', key);
    for (const part of parts) mac.update(`${Buffer.byteLength(part)}:`).update(part);
    return mac.digest('base64url');
  };
  return {
    seal: (purpose, name, value) => {
      const text = JSON.stringify(value);
      return `${VERSION}.${macOf([purpose, name, text])}.${text}`;
    },
    open: (purpose, name, sealed) => {
      const text = sealed.slice(PREFIX_LENGTH);
      const expected = Buffer.from(`${VERSION}.${macOf([purpose, name, text])}.`);
      const given = Buffer.from(sealed.slice(0, PREFIX_LENGTH));
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      return JSON.parse(text) as unknown; // sealed by ourselves, so it is JSON
    },
    nameOf: (purpose, secret) => macOf([purpose, secret]),
  };
};
