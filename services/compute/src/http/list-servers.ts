import {
  AppError,
  BadRequestError,
  type ContextClaims,
  isAllTenants,
  type ServerRecord,
} from '@tenure/contracts';
import { callContextOf } from '@tenure/signed-context';
import { type RawQuery, readListQuery, type ServerListing } from '../domain/list-query.js';
import { type ViewOptions } from '../domain/server-view.js';
import { type ServerPage, type ServerStore } from '../ports/server-store.js';
import { nextLink, viewOptionsOf } from './request-parts.js';

const NOTHING: ServerPage = { servers: [], more: false };

type Show = (server: ServerRecord, options: ViewOptions) => unknown;

/** The answer of `GET /servers` and `GET /servers/detail`. */
export async function listServers(
  servers: ServerStore,
  claims: ContextClaims,
  { path, raw, show }: { readonly path: string; readonly raw: RawQuery; readonly show: Show },
): Promise<unknown> {
  const options = viewOptionsOf(claims);
  const listing = readListQuery(raw, options.minor);
  const page = await pageOf(servers, listing, raw, claims);
  const last = page.servers.at(-1);
  return {
    servers: page.servers.map((server) => show(server, options)),
    ...(page.more &&
      last !== undefined && {
        servers_links: nextLink(claims, path, [...listing.kept, ['marker', last.uuid]]),
      }),
  };
}

async function pageOf(
  servers: ServerStore,
  listing: ServerListing,
  raw: RawQuery,
  claims: ContextClaims,
): Promise<ServerPage> {
  const scope = scopeOf(raw, claims);
  const query = scope === undefined ? undefined : queryOf(listing, scope);
  if (query === undefined || listing.isEmpty) return NOTHING;
  try {
    return await servers.list(query, listing.limit, callContextOf(claims));
  } catch (error) {
    // A hidden marker is as missing as one that does not exist.
    if (error instanceof AppError && error.status === 404)
      throw new BadRequestError(`marker [${(listing.marker ?? '').slice(0, 64)}] not found`);
    throw error;
  }
}

/** Asks for the servers of every project, if that was decided, or of the caller's own. */
function scopeOf(
  raw: RawQuery,
  { subject }: ContextClaims,
): Readonly<Record<string, string>> | undefined {
  const all = raw['all_tenants'];
  if (isAllTenants(typeof all === 'string' ? all : undefined)) return {};
  const project = subject?.project_id ?? null;
  return project === null ? undefined : { project_id: project };
}

/** Both conditions on the project hold, or nothing is returned: a filter never widens the caller's scope. */
function queryOf(
  { query, marker }: ServerListing,
  scope: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const own = scope['project_id'];
  const requested = query['project_id'];
  if (own !== undefined && requested !== undefined && own !== requested) return undefined;
  return { ...query, ...scope, ...(marker !== undefined && { marker }) };
}
