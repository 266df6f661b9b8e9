import { type Obligations, type PolicyFilter } from '@tenure/contracts';
import { type ContextKeys } from '@tenure/signed-context';
import { ALL, type Method, sendSigned, withProject } from '@tenure/testing';
import { type Express } from 'express';
import { type Response } from 'supertest';

export interface Call {
  readonly method: Method;
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

/** Allocations that a project owns. */
export const rowsOf = (project: string): PolicyFilter => withProject(project, 'owner');

/** Sends a request as the gateway does. */
export function send(
  app: Express,
  keys: ContextKeys,
  { method, target, body, version = '1.65', filter = ALL, set = {}, masked = [], ...on }: Call,
): Promise<Response> {
  const context = {
    aud: 'allocation' as const,
    action: 'baremetal:allocation:create',
    decision_id: 'd-1',
    api_version: version,
    public_base: 'http://api.example:6385',
    resources: [...resourceOf('allocation', on.resource), ...resourceOf('node', on.node)],
    obligations: { filter, fields: { masked: [...masked], read_only: [] }, set },
  };
  return sendSigned(app, keys, { method, target, body, context });
}

const resourceOf = (type: string, uuid: string | undefined) =>
  uuid === undefined ? [] : [{ type, uuid, tenancy_revision: 1 }];
