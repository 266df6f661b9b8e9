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

/** Caches the tenant of credentials. It decides only the order of requests, never a permission. */
export interface Callers {
  readonly of: (request: Pick<IncomingMessage, 'headers'>, network: string) => Caller;
}

const MAX_CREDENTIALS = 20_000;

/** Creates an empty cache, which stores only digests of credentials. */
export function createCallers(): Callers {
  const tenants = new LRUCache<string, string>({ max: MAX_CREDENTIALS });
  return {
    of: ({ headers }, network) => {
      const credentials = headers['x-auth-token'] ?? headers.authorization;
      const unauthenticated = `network ${network}`;
      if (typeof credentials !== 'string')
        return { tenant: unauthenticated, isOf: () => undefined };
      const digest = hash('sha256', credentials, 'base64url');
      const cached = tenants.get(digest);
      return {
        tenant: cached ?? unauthenticated,
        isOf: (tenant) => {
          if (tenant !== cached) tenants.set(digest, tenant);
        },
      };
    },
  };
}
