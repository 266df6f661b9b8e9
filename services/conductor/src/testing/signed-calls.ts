import { type ContextClaims, type NodeRecord, type PartName } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { keyPair, type Method, sendSigned } from '@tenure/testing';
import { type Express } from 'express';
import { type Response } from 'supertest';
import { hashBySha512Crypt } from '../adapters/hash-password-crypt.js';
import { createHttpPeers } from '../adapters/peers-http.js';
import { createApp } from '../app.js';
import { type ConductorHarness } from './conductor-harness.js';

const SEND_ON_MS = 400;

/** The app of a harness, called as the gateway calls it: with a signed context. */
export class SignedCalls {
  readonly app: Express;
  readonly #keys: ReturnType<typeof keyPair>;

  /** @param keys those of other conductors, when requests are to be sent on between them */
  constructor(
    harness: ConductorHarness,
    caller: PartName = 'gateway',
    keys = keyPair(caller, 'conductor'),
  ) {
    const { inventory, driverOf, drivers, logger } = harness;
    this.#keys = keys;
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

  /** Sends a request about a node, or about none. */
  readonly call = (
    method: Method,
    target: string,
    node: NodeRecord | null,
    { body, ...claims }: Partial<ContextClaims> & { readonly body?: unknown } = {},
  ): Promise<Response> => {
    const resources =
      node === null
        ? []
        : [{ type: 'node', uuid: node.uuid, tenancy_revision: node.tenancy_revision }];
    const context = {
      ...newCallContext('baremetal:node:any'),
      aud: 'conductor' as const,
      public_base: 'http://tenure.example:6385',
      resources,
      ...claims,
    };
    return sendSigned(this.app, this.#keys.caller, { method, target, body, context });
  };
}
