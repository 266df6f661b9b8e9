import { Type } from '@sinclair/typebox';
import { api, matches, UnavailableError } from '@tenure/contracts';
import { type Behalf, type Tenancy, type TenancySource } from '../decisions/tenancy-source.js';
import { type JsonAnswer, type JsonHttp } from '../http/json-http.js';
import { type ServiceSession } from '../keystone/service-session.js';

const Id = Type.String({ maxLength: 255 });
/** As much of a server as the policy needs to know, as Nova's oldest version tells it. */
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
  /** Milliseconds for a look-up, logging in included. */
  readonly deadlineMs: number;
}

/** Fails when the time is up, whatever the work then still does: a look-up has no effects. */
const inTime = async <T>(deadlineMs: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('Nova did not answer in time'));
    }, deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

const tenancyIn = ({ status, json }: JsonAnswer, ident: string): Tenancy | undefined => {
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`Nova answered ${String(status)}`);
  if (!matches(ServerAnswer, json)) throw new Error('the answer of Nova is no server');
  const { id, tenant_id, user_id } = json.server;
  if (id.toLowerCase() !== ident.toLowerCase())
    throw new Error('the answer of Nova is about another server');
  // In Nova a server never changes hands.
  return {
    uuid: id,
    owner: tenant_id,
    lessee: null,
    tenancy_revision: 0,
    node_uuid: null,
    creator: user_id,
  };
};

/**
 * Whose a server is, as Nova itself says.
 * @param ours where everything else is looked up
 */
export const createNovaTenancy = (
  ours: TenancySource,
  { http, session, deadlineMs }: NovaTenancyOptions,
): TenancySource => {
  const ask = async (ident: string, { request_id }: Behalf): Promise<JsonAnswer> => {
    const token = await session.token();
    const answer = await http.call({
      method: 'GET',
      path: `/v2.1/servers/${encodeURIComponent(ident)}`,
      headers: { 'x-auth-token': token, 'x-openstack-request-id': request_id },
    });
    if (answer.status === 401) session.refused(token);
    return answer;
  };

  const look = async (ident: string, behalf: Behalf): Promise<Tenancy | undefined> => {
    const first = await ask(ident, behalf);
    return tenancyIn(first.status === 401 ? await ask(ident, behalf) : first, ident);
  };

  return {
    load: async (kind, ident, behalf) => {
      if (kind !== 'server') return ours.load(kind, ident, behalf);
      // Nova names servers by uuid only; nothing else reaches its paths.
      const isUuid: boolean = matches(api.Uuid, ident);
      if (!isUuid) return undefined;
      try {
        return await inTime(deadlineMs, look(ident, behalf));
      } catch (error) {
        throw new UnavailableError('The compute service is temporarily unavailable.', {
          cause: error,
          headers: { 'Retry-After': '1' },
        });
      }
    },
  };
};
