/** The used part of `jws`. Keys are key objects here; the published types only allow text and bytes. */
declare module 'jws' {
  import { type KeyObject } from 'node:crypto';

  type Algorithm = 'ES256' | 'RS256' | 'HS256';
  interface ToSign {
    readonly header: { readonly alg: Algorithm; readonly kid?: string; readonly typ: string };
    readonly payload: object;
    readonly privateKey: KeyObject;
  }
  const jws: {
    readonly sign: (what: ToSign) => string;
    /** @throws Error for a key or a signature that the algorithm cannot have */
    readonly verify: (text: string, algorithm: Algorithm, key: KeyObject) => boolean;
  };
  export = jws;
}
