import { randomUUID } from 'node:crypto';
import {
  AccessDeniedError,
  BadRequestError,
  type ContextClaims,
  type KeypairRecord,
  minorOf,
  type NewServer,
  timestampOf,
} from '@tenure/contracts';
import { callContextOf } from '@tenure/signed-context';
import { readCreateRequest, type WantedServer } from '../domain/create-request.js';
import { newPassword } from '../domain/password.js';
import { hostNameOf } from '../domain/server-members.js';
import { createdView, serverUrl } from '../domain/server-view.js';
import { statusOf } from '../domain/status.js';
import { type RouteDeps, taskOf } from './change-server.js';
import { findFlavor, type FoundFlavor, ownKeypair } from './named-by-caller.js';
import { viewOptionsOf } from './request-parts.js';

interface Parts extends FoundFlavor {
  readonly keypair: KeypairRecord | null;
  readonly adminPass: string;
}

/**
 * Persists a server to build; it is built after the answer.
 * @returns the answer, and where the server is
 * @throws BadRequestError
 */
export async function createServer(
  deps: RouteDeps,
  claims: ContextClaims,
  body: unknown,
): Promise<{ readonly location: string; readonly answer: unknown }> {
  const request = readCreateRequest(body, minorOf(claims));
  const flavor = await flavorOf(deps, claims, request.flavorRef);
  const keypair = request.keyName === null ? null : await ownKeypair(deps, claims, request.keyName);
  const adminPass = request.adminPass ?? newPassword();
  const record = recordOf(request, { ...flavor, keypair, adminPass }, claims, deps.now());
  const { uuid } = await deps.servers.create(record, { ...callContextOf(claims), resources: [] });
  deps.submit(uuid);
  return {
    location: serverUrl(claims.public_base, uuid),
    answer: { server: createdView({ uuid }, viewOptionsOf(claims), adminPass) },
  };
}

/** A flavor among the nodes that the server may take. */
async function flavorOf(deps: RouteDeps, claims: ContextClaims, id: string): Promise<FoundFlavor> {
  const found = await findFlavor(deps, claims, claims.obligations.filter, id);
  if (found === undefined)
    throw new BadRequestError(`Flavor ${id.slice(0, 255)} could not be found.`);
  return found;
}

function recordOf(
  request: WantedServer,
  { wanted, facts, keypair, adminPass }: Parts,
  claims: ContextClaims,
  now: Date,
): NewServer {
  const uuid = randomUUID();
  const { vcpus, ram, disk } = facts;
  const { mode, predicates } = claims.obligations.filter;
  return {
    uuid,
    name: request.name,
    description: request.description,
    project_id: projectOf(claims),
    user_id: claims.subject?.user_id ?? null,
    flavor_id: wanted.id,
    resource_class: wanted.resource_class,
    traits: [...wanted.traits],
    flavor: { vcpus, ram, disk },
    image_ref: request.imageRef,
    key_name: keypair?.name ?? null,
    public_key: keypair?.public_key ?? null,
    metadata: request.metadata,
    tags: [...request.tags],
    hostname: request.hostname ?? hostNameOf(request.name, uuid),
    availability_zone: request.availabilityZone,
    vifs: [...request.vifs],
    config_drive: request.configDrive,
    user_data: request.userData,
    vm_state: 'building',
    task_state: 'scheduling',
    status: statusOf('building', 'scheduling'),
    power_state: 0,
    node_uuid: null,
    locked_by: null,
    locked_reason: null,
    fault: null,
    task: taskOf(claims, { kind: 'build', arguments: { admin_pass: adminPass } }, now),
    candidate_filter: { mode, predicates },
    launched_at: null,
    created_at: timestampOf(now),
    updated_at: timestampOf(now),
  };
}

/** The project is what the decision says: it was made for no other. */
function projectOf({ obligations, action }: ContextClaims): string {
  const { owner } = obligations.set;
  if (owner === undefined) throw new AccessDeniedError(action);
  return owner;
}
