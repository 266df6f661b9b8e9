import {
  ConflictError,
  type ContextClaims,
  type KeypairRecord,
  NO_OBLIGATIONS,
  NotFoundError,
  type Obligations,
  type PartName,
  type PolicyFilter,
  type Subject,
} from '@tenure/contracts';
import { createLogger } from '@tenure/process';
import {
  keyPair,
  type Method,
  NONE,
  sendSigned,
  type SignedCall,
  withProject,
} from '@tenure/testing';
import { type Express } from 'express';
import { type Response } from 'supertest';
import { createApp } from '../app.js';
import { type FlavorFacts } from '../domain/flavor.js';
import { type FlavorStore, type KeypairStore } from '../ports/server-store.js';
import { NOW, UUID } from './servers.js';
import { type World } from './world.js';

export const person = (user_id: string, project_id: string | null = 'team'): Subject => ({
  user_id,
  project_id,
  system_scope: project_id === null ? 'all' : null,
  domain_id: null,
  roles: ['member'],
});

export interface Call {
  readonly body?: unknown;
  /** Minor number of the microversion. */
  readonly minor?: number;
  readonly subject?: Subject | null;
  readonly action?: string;
  readonly filter?: PolicyFilter;
  readonly set?: ContextClaims['obligations']['set'];
  readonly conditions?: ContextClaims['obligations']['conditions'];
  /** Uuid of the server that was decided on; null: of none. */
  readonly server?: string | null;
  readonly revision?: number;
}

const flavorsIn = (fleet: readonly (FlavorFacts & { readonly owner: string })[]): FlavorStore => ({
  list: ({ mode, predicates }, only) =>
    Promise.resolve(
      fleet.filter(
        ({ owner, resource_class }) =>
          (only === undefined || only === resource_class) &&
          (mode === 'all' || predicates.some(({ value }) => value === owner)),
      ),
    ),
});

const obligationsOf = ({ filter = NONE, set = {}, conditions }: Call): Obligations => ({
  ...NO_OBLIGATIONS,
  filter,
  set,
  ...(conditions !== undefined && { conditions }),
});

/** The app over a world in memory, called as the gateway calls it: with a signed context. */
export class GatewayCaller {
  readonly app: Express;
  readonly submitted: string[] = [];
  readonly keypairs = new Map<string, KeypairRecord>();
  readonly #keys: ReturnType<typeof keyPair>;

  constructor(world: World, caller: PartName = 'gateway') {
    this.#keys = keyPair(caller, 'compute');
    this.app = createApp({
      keys: this.#keys.audience,
      logger: createLogger('test', 'fatal'),
      servers: world.store,
      allocations: world.allocator,
      nodes: world.verbs,
      flavors: flavorsIn([
        {
          resource_class: 'gold',
          traits: ['CUSTOM_A'],
          vcpus: 8,
          ram: 4096,
          disk: 100,
          owner: 'team',
        },
        { resource_class: 'secret', traits: [], vcpus: 1, ram: 1, disk: 1, owner: 'others' },
      ]),
      keypairs: keypairsIn(this.keypairs),
      submit: (uuid) => {
        this.submitted.push(uuid);
      },
      now: () => NOW,
    });
  }

  readonly call = (method: Method, target: string, call: Call = {}): Promise<Response> =>
    sendSigned(this.app, this.#keys.caller, {
      method,
      target,
      body: call.body,
      context: contextOf(call),
    });
}

export const serversOf = (project: string): PolicyFilter => withProject(project, 'project_id');

function keypairsIn(rows: Map<string, KeypairRecord>): KeypairStore {
  const ofUser = (user: string) =>
    [...rows.values()]
      .filter(({ user_id }) => user_id === user)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return {
    create: (keypair) => {
      if (ofUser(keypair.user_id).some(({ name }) => name === keypair.name))
        return Promise.reject(new ConflictError('duplicate', 'taken'));
      const record = { ...keypair, revision: 1 };
      rows.set(keypair.uuid, record);
      return Promise.resolve(record);
    },
    find: (user, name) => Promise.resolve(ofUser(user).find((one) => one.name === name)),
    list: (user, { limit, marker }) => {
      const all = ofUser(user);
      const start = marker === undefined ? 0 : all.findIndex(({ name }) => name === marker) + 1;
      if (marker !== undefined && start === 0)
        return Promise.reject(NotFoundError.of('Keypair', marker));
      const rest = all.slice(start);
      return Promise.resolve({ keypairs: rest.slice(0, limit), more: rest.length > limit });
    },
    remove: (uuid) => {
      rows.delete(uuid);
      return Promise.resolve();
    },
  };
}

function contextOf(call: Call): SignedCall['context'] {
  const { server = UUID, minor = 93, subject = person('ann'), revision = 1 } = call;
  return {
    aud: 'compute',
    request_id: 'req-1',
    subject,
    action: call.action ?? 'os_compute_api:servers:show',
    decision_id: 'd-1',
    api_version: `2.${String(minor)}`,
    public_base: 'http://api.example:6385',
    resources:
      server === null ? [] : [{ type: 'server', uuid: server, tenancy_revision: revision }],
    obligations: obligationsOf(call),
  };
}
