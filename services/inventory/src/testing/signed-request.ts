import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { NO_OBLIGATIONS, type PartName } from '@tenure/contracts';
import { type ContextKeys, type ContextStatement } from '@tenure/signed-context';
import { keyPair, signedCall } from '@tenure/testing';

export type Callers = Readonly<Partial<Record<PartName, ContextKeys>>>;

export interface Keyring {
  /** The keys with which the inventory verifies. */
  readonly inventory: ContextKeys;
  /** The keys with which each caller signs. */
  readonly callers: Callers;
}

const CALLERS = ['gateway', 'conductor', 'allocation', 'compute', 'cli'] as const;

export interface SignedCall {
  readonly from: PartName;
  readonly method?: string;
  readonly target: string;
  readonly body?: unknown;
  /** Overrides of a context without obligations, at microversion 1.65. */
  readonly context?: Partial<ContextStatement>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body; undefined when there is none. */
  readonly body: unknown;
}

export interface RunningApp {
  readonly base: string;
  readonly call: (call: SignedCall) => Promise<Answer>;
  /** Sends the request unchanged, without a context. */
  readonly fetch: (target: string, init?: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void>;
}

// Lists are for others to change.
const NOTHING_DEMANDED = {
  filter: { ...NO_OBLIGATIONS.filter, predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
};

export function makeKeyring(): Keyring {
  const pairs = CALLERS.map((caller) => keyPair(caller, 'inventory'));
  return {
    inventory: {
      self: 'inventory',
      outgoing: new Map(),
      incoming: new Map(pairs.flatMap(({ audience }) => [...audience.incoming])),
    },
    callers: Object.fromEntries(pairs.map(({ caller }) => [caller.self, caller])),
  };
}

/** The app on a free loopback port, and signed calls to it. */
export async function runApp(handler: RequestListener, { callers }: Keyring): Promise<RunningApp> {
  const server = await listen(handler);
  const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // a listening TCP server's address
  return {
    base,
    call: async (call) => {
      const keys = callers[call.from];
      if (keys === undefined) throw new Error(`no keys of ${call.from}`);
      const { method = 'GET', target, body } = call;
      const signed = signedCall(keys, { method, target, body, context: contextOf(call) });
      const response = await fetch(`${base}${target}`, {
        method,
        headers: signed.headers,
        ...(body !== undefined && { body: signed.text }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? undefined : (JSON.parse(text) as unknown),
      };
    },
    fetch: (target, init) => fetch(`${base}${target}`, init),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(handler: RequestListener): Promise<Server> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const contextOf = ({ context }: SignedCall) => ({
  aud: 'inventory' as const,
  api_version: '1.65',
  public_base: 'http://127.0.0.1:6385',
  obligations: NOTHING_DEMANDED,
  ...context,
});
