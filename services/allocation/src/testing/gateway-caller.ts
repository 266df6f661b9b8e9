import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  CONTEXT_HEADER,
  type Obligations,
  type PartName,
  type PolicyFilter,
} from '@tenure/contracts';
import {
  type ContextKeys,
  type ContextStatement,
  loadContextKeys,
  signContext,
} from '@tenure/signed-context';
import { type Express } from 'express';
import request, { type Response } from 'supertest';

/** Keys of `caller` and of the allocation service, from files as in production. */
export const makeKeys = (
  caller: PartName,
): { readonly caller: ContextKeys; readonly allocation: ContextKeys } => {
  const directory = mkdtempSync(path.join(tmpdir(), 'allocation-keys-'));
  try {
    writeFileSync(
      path.join(directory, `${caller}--allocation.key`),
      `${randomBytes(32).toString('base64url')}\n`,
    );
    return {
      caller: loadContextKeys(directory, caller),
      allocation: loadContextKeys(directory, 'allocation'),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

export const ALL: PolicyFilter = { mode: 'all', predicates: [] };
export const NONE: PolicyFilter = { mode: 'none', predicates: [] };

/** Nodes that a project owns or leases. */
export const nodesOf = (project: string): PolicyFilter => ({
  mode: 'any_of',
  predicates: [
    { field: 'owner', op: 'eq', value: project },
    { field: 'lessee', op: 'eq', value: project },
  ],
});

/** Allocations that a project owns. */
export const rowsOf = (project: string): PolicyFilter => ({
  mode: 'any_of',
  predicates: [{ field: 'owner', op: 'eq', value: project }],
});

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  readonly target: string;
  readonly body?: unknown;
  readonly version?: string;
  readonly filter?: PolicyFilter;
  readonly set?: Obligations['set'];
  readonly masked?: readonly string[];
  /** Uuid of the allocation that was decided on. */
  readonly resource?: string;
  /** Uuid of the node that was decided on with it. */
  readonly node?: string;
}

const statementOf = (call: Call): ContextStatement => ({
  aud: 'allocation',
  request_id: 'req-1',
  method: call.method,
  target: call.target,
  subject: null,
  action: 'baremetal:allocation:create',
  decision_id: 'd-1',
  api_version: call.version ?? '1.65',
  public_base: 'http://api.example:6385',
  resources: [
    ...(call.resource === undefined
      ? []
      : [{ type: 'allocation', uuid: call.resource, tenancy_revision: 1 }]),
    ...(call.node === undefined ? [] : [{ type: 'node', uuid: call.node, tenancy_revision: 1 }]),
  ],
  obligations: {
    filter: call.filter ?? ALL,
    fields: { masked: [...(call.masked ?? [])], read_only: [] },
    set: call.set ?? {},
  },
});

/** Sends a request as the gateway does: with a context signed for exactly this request. */
export const send = async (app: Express, keys: ContextKeys, call: Call): Promise<Response> => {
  const text = call.body === undefined ? '' : JSON.stringify(call.body);
  const context = signContext(keys, statementOf(call), Buffer.from(text));
  const method = call.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete' | 'put'; // the union above in lower case
  const pending = request(app)[method](call.target).set(CONTEXT_HEADER, context);
  return text === '' ? pending : pending.set('Content-Type', 'application/json').send(text);
};

/** The sentence in Ironic's error body. */
export const faultOf = (response: Response): string => {
  const { error_message: message } = response.body as { error_message: string };
  return (JSON.parse(message) as { faultstring: string }).faultstring;
};
