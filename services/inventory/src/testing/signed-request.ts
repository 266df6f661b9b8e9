import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONTEXT_HEADER, NO_OBLIGATIONS, type PartName } from '@tenure/contracts';
import {
  type ContextKeys,
  type ContextStatement,
  loadContextKeys,
  signContext,
} from '@tenure/signed-context';

export type Callers = Readonly<Partial<Record<PartName, ContextKeys>>>;

export interface Keyring {
  /** What the inventory verifies with. */
  readonly inventory: ContextKeys;
  /** What each caller signs with. */
  readonly callers: Callers;
}

const CALLERS = ['gateway', 'conductor', 'allocation', 'compute', 'cli'] as const;

/** A keyring whose files are in `root`; those of the inventory are in `directory`. */
export const keyringIn = (root: string): Keyring & { readonly directory: string } => {
  const own = mkdtempSync(path.join(root, 'inventory-'));
  const callers = CALLERS.map((caller): [PartName, ContextKeys] => {
    const directory = mkdtempSync(path.join(root, `${caller}-`));
    const key = randomBytes(32).toString('base64url');
    for (const place of [own, directory])
      writeFileSync(path.join(place, `${caller}--inventory.key`), `${key}\n`);
    return [caller, loadContextKeys(directory, caller)];
  });
  return {
    inventory: loadContextKeys(own, 'inventory'),
    callers: Object.fromEntries(callers),
    directory: own,
  };
};

/** Real key files in a directory of their own, loaded as the parts load them. */
export const makeKeyring = (): Keyring => {
  const root = mkdtempSync(path.join(tmpdir(), 'inventory-keys-'));
  try {
    return keyringIn(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

export interface SignedCall {
  readonly from: PartName;
  readonly method?: string;
  readonly target: string;
  readonly body?: unknown;
  /** What differs from a context without obligations, at microversion 1.65. */
  readonly context?: Partial<ContextStatement>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body; undefined when there is none. */
  readonly body: unknown;
}

export interface RunningApp {
  readonly call: (call: SignedCall) => Promise<Answer>;
  /** As it stands, without a context. */
  readonly fetch: (target: string, init?: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void>;
}

const listen = async (handler: RequestListener): Promise<Server> => {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const statementOf = ({ method = 'GET', target, context }: SignedCall): ContextStatement => ({
  aud: 'inventory',
  request_id: `req-${randomUUID()}`,
  method,
  target,
  subject: null,
  action: 'baremetal:node:get',
  decision_id: null,
  api_version: '1.65',
  public_base: 'http://127.0.0.1:6385',
  resources: [],
  obligations: {
    filter: { ...NO_OBLIGATIONS.filter, predicates: [] },
    fields: { masked: [], read_only: [] },
    set: {},
  },
  ...context,
});

/** The app on a free loopback port, and signed calls to it. */
export const runApp = async (
  handler: RequestListener,
  { callers }: Keyring,
): Promise<RunningApp> => {
  const server = await listen(handler);
  const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // a listening TCP server's address
  return {
    call: async (call) => {
      const keys = callers[call.from];
      if (keys === undefined) throw new Error(`no keys of ${call.from}`);
      const bytes = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
      const response = await fetch(`${base}${call.target}`, {
        method: call.method ?? 'GET',
        headers: {
          [CONTEXT_HEADER]: signContext(keys, statementOf(call), bytes ?? new Uint8Array()),
          'content-type': 'application/json',
        },
        ...(bytes !== undefined && { body: bytes }),
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
};
