import { randomUUID } from 'node:crypto';
import {
  AppError,
  BadRequestError,
  ConflictError,
  type ContextClaims,
  keypairUser,
  minorOf,
  NotFoundError,
  timestampOf,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { callContextOf } from '@tenure/signed-context';
import { type Request, Router } from 'express';
import { type KeypairRequest, readKeypairRequest } from '../domain/keypair-request.js';
import { createdKeypair, keypairReference, keypairView } from '../domain/keypair-view.js';
import { fingerprintOf } from '../domain/keypair.js';
import { limitIn } from '../domain/list-query.js';
import { newSshKey } from '../domain/new-key.js';
import { type RouteDeps } from './change-server.js';
import { nextLink, textIn } from './request-parts.js';

type Deps = Pick<RouteDeps, 'keypairs' | 'now'>;

const TYPE_SINCE = 2;
const PAGING_SINCE = 35;

interface Key {
  readonly publicKey: string;
  readonly privateKey?: string;
}

/** `/v2.1/os-keypairs`: key pairs belong to users, not to projects. */
export function keypairRouter(deps: Deps): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v2.1/os-keypairs', async (request, response) => {
    response.json(await list(deps, request));
  });
  router.post('/v2.1/os-keypairs', async (request, response) => {
    const keypair = await create(deps, request);
    response.status(minorOf(contextOf(request)) >= TYPE_SINCE ? 201 : 200).json({ keypair });
  });
  router.get('/v2.1/os-keypairs/:name', async (request, response) => {
    const keypair = await named(deps, request);
    response.json({ keypair: keypairView(keypair, minorOf(contextOf(request))) });
  });
  router.delete('/v2.1/os-keypairs/:name', async (request, response) => {
    const { uuid } = await named(deps, request);
    await deps.keypairs.remove(uuid, callContextOf(contextOf(request)));
    response.status(minorOf(contextOf(request)) >= TYPE_SINCE ? 204 : 202).end();
  });
  return router;
}

async function list({ keypairs }: Deps, request: Request): Promise<unknown> {
  const claims = contextOf(request);
  const minor = minorOf(claims);
  const page = pageIn(request, minor);
  const { keypairs: rows, more } = await saying(
    'not_found',
    () => new BadRequestError(`marker [${(page.marker ?? '').slice(0, 255)}] not found`),
    keypairs.list(userOf(request), page, callContextOf(claims)),
  );
  const last = rows.at(-1);
  const user = textIn(request, 'user_id');
  return {
    keypairs: rows.map((keypair) => ({ keypair: keypairReference(keypair, minor) })),
    ...(more &&
      last !== undefined && {
        keypairs_links: nextLink(claims, '/v2.1/os-keypairs', {
          limit: String(page.limit),
          marker: last.name,
          ...(user !== undefined && { user_id: user }),
        }),
      }),
  };
}

async function create({ keypairs, now }: Deps, request: Request): Promise<unknown> {
  const claims = contextOf(request);
  const minor = minorOf(claims);
  const requested = readKeypairRequest(request.body, minor);
  const { publicKey, privateKey } = await keyOf(requested);
  const record = {
    uuid: randomUUID(),
    user_id: keypairUser(requested.user_id, callerOf(claims)),
    name: requested.name,
    type: requested.type,
    public_key: publicKey,
    fingerprint: fingerprintOf(requested.type, publicKey),
    created_at: timestampOf(now()),
  };
  const stored = await saying(
    'duplicate',
    () => new ConflictError('duplicate', `Key pair '${requested.name}' already exists.`),
    keypairs.create(record, callContextOf(claims)),
  );
  return {
    ...createdKeypair(stored, minor),
    ...(privateKey !== undefined && { private_key: privateKey }),
  };
}

async function named({ keypairs }: Deps, request: Request) {
  const name = String(request.params['name']);
  const user = userOf(request);
  const found = await keypairs.find(user, name, callContextOf(contextOf(request)));
  if (found === undefined) throw unknown(name, user);
  return found;
}

function pageIn(request: Request, minor: number) {
  const [limit, marker] = [textIn(request, 'limit'), textIn(request, 'marker')];
  if (minor < PAGING_SINCE && (limit ?? marker) !== undefined)
    throw new BadRequestError('Additional properties are not allowed');
  return { limit: limitIn(limit), marker };
}

/** Says what a refusal of the store means to a client. */
async function saying<T>(code: string, meaning: () => AppError, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw error instanceof AppError && error.code === code ? meaning() : error;
  }
}

/** The owner of the key pairs: the user of the policy's decision. */
const userOf = (request: Request): string =>
  keypairUser(textIn(request, 'user_id'), callerOf(contextOf(request)));

function callerOf({ subject }: ContextClaims): string {
  if (subject === null) throw new BadRequestError('The request names no user.');
  return subject.user_id;
}

/** The public key of the request, or a new pair when the request has none. */
const keyOf = async ({ public_key: given }: KeypairRequest): Promise<Key> =>
  given === undefined ? newSshKey() : { publicKey: given };

const unknown = (name: string, user: string): NotFoundError =>
  NotFoundError.part(`Keypair ${name} not found for user ${user}`);
