import { hash } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';

/** The presumed sender of a request, before it is authenticated. */
export interface Caller {
  /** The tenant that these credentials last belonged to; for unknown credentials, the network of the client's address. */
  readonly tenant: string;
  /** Called once the request is authenticated. */
  readonly isOf: (tenant: string) => void;
}

/** Remembers the tenant of credentials. It decides only the order of requests, never a permission. */
export interface Callers {
  readonly of: (request: Pick<IncomingMessage, 'headers'>, network: string) => Caller;
}

const MAX_KNOWN = 20_000;

/** Creates an empty cache, which stores only digests of credentials. */
export const createCallers = (): Callers => {
  const tenants = new LRUCache<string, string>({ max: MAX_KNOWN });
  return {
    of: ({ headers }, network) => {
      const shown = headers['x-auth-token'] ?? headers.authorization;
      const stranger = `network ${network}`;
      if (typeof shown !== 'string') return { tenant: stranger, isOf: () => undefined };
      const digest = hash('sha256', shown, 'base64url');
      const known = tenants.get(digest);
      return {
        tenant: known ?? stranger,
        isOf: (tenant) => {
          if (tenant !== known) tenants.set(digest, tenant);
        },
      };
    },
  };
};
