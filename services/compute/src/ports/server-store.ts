import {
  type CallContext,
  type KeypairRecord,
  type NewKeypair,
  type NewServer,
  type PolicyFilter,
  type ServerChange,
  type ServerPlacement,
  type ServerRecord,
} from '@tenure/contracts';
import { type FlavorFacts } from '../domain/flavor.js';

export interface ServerPage {
  readonly servers: readonly ServerRecord[];
  /** Whether there are servers after these. */
  readonly more: boolean;
}

/** Servers, in the system of record. */
export interface ServerStore {
  readonly create: (server: NewServer, context: CallContext) => Promise<ServerRecord>;
  /** @throws NotFoundError; TenancyChangedError when the decision of `on` is stale */
  readonly find: (uuid: string, context: CallContext) => Promise<ServerRecord>;
  /** Under the filter of `on`. @throws NotFoundError when the marker is missing or hidden */
  readonly list: (
    query: Readonly<Record<string, string>>,
    limit: number,
    context: CallContext,
  ) => Promise<ServerPage>;
  /** Compare and set. @throws ConflictError `revision_conflict`; NotFoundError */
  readonly update: (
    server: ServerRecord,
    set: ServerChange,
    context: CallContext,
  ) => Promise<ServerRecord>;
  /** Compare and set. @throws ConflictError `revision_conflict`; NotFoundError */
  readonly remove: (server: ServerRecord, context: CallContext) => Promise<void>;
  /** Its allocation and its node, as they are now. */
  readonly placement: (uuid: string, context: CallContext) => Promise<ServerPlacement>;
  /** Writes the `instance_info` of the node that is allocated to it. @throws ConflictError `node_locked` */
  readonly writeInstance: (
    uuid: string,
    info: Readonly<Record<string, unknown>>,
    context: CallContext,
  ) => Promise<void>;
}

/** The kinds of machine that a caller may use. */
export interface FlavorStore {
  readonly list: (
    filter: PolicyFilter,
    resourceClass: string | undefined,
    context: CallContext,
  ) => Promise<readonly FlavorFacts[]>;
}

/** Key pairs, each of one user. */
export interface KeypairStore {
  /** @throws ConflictError `duplicate` */
  readonly create: (keypair: NewKeypair, context: CallContext) => Promise<KeypairRecord>;
  readonly find: (
    userId: string,
    name: string,
    context: CallContext,
  ) => Promise<KeypairRecord | undefined>;
  /** By name. @throws NotFoundError when the marker is no key pair of the user */
  readonly list: (
    userId: string,
    page: { readonly limit: number; readonly marker: string | undefined },
    context: CallContext,
  ) => Promise<{ readonly keypairs: readonly KeypairRecord[]; readonly more: boolean }>;
  /** @throws NotFoundError */
  readonly remove: (uuid: string, context: CallContext) => Promise<void>;
}
