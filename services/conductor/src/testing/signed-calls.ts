import { type ContextClaims, type NodeRecord, type PartName } from '@tenure/contracts';
import { type ContextKeys, newCallContext, signContext } from '@tenure/signed-context';
import { type Express } from 'express';
import request, { type Response } from 'supertest';
import { hashBySha512Crypt } from '../adapters/hash-password-crypt.js';
import { createHttpPeers } from '../adapters/peers-http.js';
import { createApp } from '../app.js';
import { type ConductorHarness } from './conductor-harness.js';
import { sharedKeys } from './context-keys.js';

const SEND_ON_MS = 400;

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** The app of a harness, asked as the gateway asks it: with a signed context. */
export class SignedCalls {
  readonly app: Express;
  readonly #keys: ContextKeys;

  /** @param keys those of other conductors, when requests are to be sent on between them */
  constructor(
    harness: ConductorHarness,
    caller: PartName = 'gateway',
    keys = sharedKeys(caller, 'conductor'),
  ) {
    const { inventory, driverOf, drivers, logger } = harness;
    this.#keys = keys.caller;
    this.app = createApp({
      keys: keys.audience,
      logger,
      inventory,
      ...harness.conductor,
      peers: createHttpPeers(harness.hostname),
      sendOnMs: SEND_ON_MS,
      driverOf,
      drivers,
      hashPassword: hashBySha512Crypt,
    });
  }

  /** Asks about a node, or about none. */
  readonly call = async (
    method: Method,
    target: string,
    node: NodeRecord | null,
    { body, ...claims }: Partial<ContextClaims> & { readonly body?: unknown } = {},
  ): Promise<Response> => {
    const bytes = body === undefined ? '' : JSON.stringify(body);
    const resources =
      node === null
        ? []
        : [{ type: 'node', uuid: node.uuid, tenancy_revision: node.tenancy_revision }];
    const statement = {
      ...newCallContext('baremetal:node:any'),
      aud: 'conductor' as const,
      method: method.toUpperCase(),
      target,
      public_base: 'http://tenure.example:6385',
      resources,
      ...claims,
    };
    const token = signContext(this.#keys, statement, Buffer.from(bytes));
    const sent = request(this.app)[method](target).set('X-Tenure-Context', token);
    return bytes === '' ? sent : sent.set('Content-Type', 'application/json').send(bytes);
  };
}

/** The sentence in an answer of Ironic's form. */
export const faultOf = (response: Response): unknown =>
  (
    JSON.parse((response.body as { error_message: string }).error_message) as {
      faultstring: unknown;
    }
  ).faultstring;
