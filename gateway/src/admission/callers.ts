import { hash } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';

/** Who seems to send a request, before it is known. */
export interface Caller {
  /** The tenant that these credentials were of when they were last seen; of others, the network that they come from. */
  readonly tenant: string;
  /** Called once it is known whose they are. */
  readonly isOf: (tenant: string) => void;
}

/** Remembers whose credentials are whose: only for whose turn it is, never for what anybody may do. */
export interface Callers {
  readonly of: (request: Pick<IncomingMessage, 'headers'>, network: string) => Caller;
}

const MAX_KNOWN = 20_000;

/** Opens an empty memory of callers. Of credentials only digests are kept. */
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
