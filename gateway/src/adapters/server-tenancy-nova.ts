import { Type } from '@sinclair/typebox';
import { api, type CallContext, matches, UnavailableError } from '@tenure/contracts';
import {
  createSessionAsk,
  type JsonAnswer,
  type JsonHttp,
  type ServiceSession,
} from '@tenure/http';
import { inTime } from '@tenure/process';
import { type Tenancy, type TenancySource } from '../ports/tenancy-source.js';

const Id = Type.String({ maxLength: 255 });
/** The members of a server that the policy needs, in Nova's oldest microversion. */
const ServerAnswer = Type.Object({
  server: Type.Object({
    id: api.Uuid,
    tenant_id: Type.Union([Id, Type.Null()]),
    user_id: Type.Union([Id, Type.Null()]),
  }),
});

export interface NovaTenancyOptions {
  readonly http: JsonHttp;
  /** Tokens of the gateway's own user, who sees every server. */
  readonly session: ServiceSession;
  /** Milliseconds for a look-up, including the login. */
  readonly deadlineMs: number;
}

/**
 * Looks up project and user of a server in Nova.
 * @param ours the source for every other kind of resource
 */
export function createNovaTenancy(
  ours: TenancySource,
  { http, session, deadlineMs }: NovaTenancyOptions,
): TenancySource {
  const ask = createSessionAsk(http, session);
  const look = async (ident: string, { request_id }: CallContext): Promise<Tenancy | undefined> => {
    const path = `/v2.1/servers/${encodeURIComponent(ident)}`;
    return tenancyIn(await ask(path, { 'x-openstack-request-id': request_id }), ident);
  };

  return {
    load: async (kind, ident, context) => {
      if (kind !== 'server') return ours.load(kind, ident, context);
      // Nova names servers by uuid only; no other ident is sent to it.
      const isUuid: boolean = matches(api.Uuid, ident);
      if (!isUuid) return undefined;
      try {
        return await inTime(deadlineMs, look(ident, context), () => {
          throw new Error('Nova did not answer in time');
        });
      } catch (error) {
        throw new UnavailableError('The compute service is temporarily unavailable.', {
          cause: error,
          headers: { 'Retry-After': '1' },
        });
      }
    },
  };
}

function tenancyIn({ status, json }: JsonAnswer, ident: string): Tenancy | undefined {
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`Nova answered ${String(status)}`);
  if (!matches(ServerAnswer, json)) throw new Error('the answer of Nova is no server');
  const { id, tenant_id, user_id } = json.server;
  if (id.toLowerCase() !== ident.toLowerCase())
    throw new Error('the answer of Nova is about another server');
  // In Nova a server never changes its project.
  return {
    uuid: id,
    owner: tenant_id,
    lessee: null,
    tenancy_revision: 0,
    node_uuid: null,
    creator: user_id,
  };
}
