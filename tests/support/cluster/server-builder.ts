import { IMAGE } from '../servers.js';
import { type Cast, classOf } from './callers.js';
import { type Call, type Client } from './load.js';
import { type Report, type Progress, until } from './report.js';

const SERVERS = '/v2.1/servers';
const NOVA = { 'OpenStack-API-Version': 'compute 2.93' };
/** How often the node of the servers is cleared before that counts as impossible. */
const CLEARINGS = 5;

interface ServerView {
  readonly status: string;
  readonly fault?: { readonly message: string };
}

/**
 * Builds a server on the one node there is for it, deletes it, and waits until the node is free again. A creation that
 * got no answer may be carried out later: its server then holds the node, and the next one finds none.
 */
export function builder({ owner, project }: Cast, host: string, report: Report): Client {
  const uuidsOf = async (call: Call): Promise<readonly string[] | undefined> => {
    const listed = await call(owner, `GET ${SERVERS}`, { status: 200, headers: NOVA });
    if (listed === undefined) return undefined;
    return (listed.json as { readonly servers: { id: string }[] }).servers.map(({ id }) => id);
  };

  const deleteServer = async (call: Call, uuid: string): Promise<void> => {
    const path = `${SERVERS}/${uuid}`;
    await call(owner, `DELETE ${path}`, { status: [204, 404], headers: NOVA });
    const end = await until(
      () => call(owner, `GET ${path}`, { status: [200, 404], headers: NOVA }),
      ({ status }) => status === 404,
    );
    if (end === undefined) await deleteServer(call, uuid);
  };

  const isFree = async (call: Call): Promise<boolean> => {
    const free = await until(
      async () =>
        (await call(owner, `GET /v1/nodes/${host}`, { status: 200 }))?.json as Progress | undefined,
      ({ provision_state: state }) => state === 'available',
    );
    return free !== undefined;
  };

  const clear = async (call: Call): Promise<void> => {
    for (let n = 0; n < CLEARINGS; n += 1) {
      const uuids = await uuidsOf(call);
      for (const uuid of uuids ?? []) await deleteServer(call, uuid);
      if (uuids !== undefined && (await isFree(call))) return;
    }
    report.doubled.push(`${host} does not become free`);
  };

  const built = (call: Call, uuid: string): Promise<ServerView | undefined> =>
    until(
      async () => {
        const found = await call(owner, `GET ${SERVERS}/${uuid}`, { status: 200, headers: NOVA });
        return (found?.json as { readonly server: ServerView } | undefined)?.server;
      },
      ({ status }) => status !== 'BUILD',
    );

  return async (call) => {
    const flavorRef = classOf(project, 'server');
    const created = await call(owner, `POST ${SERVERS}`, {
      status: 202,
      body: { server: { name: 'one', flavorRef, imageRef: IMAGE, networks: 'none' } },
      headers: NOVA,
    });
    if (created !== undefined) {
      const { id } = (created.json as { readonly server: { readonly id: string } }).server;
      const server = await built(call, id);
      const others = await until(
        () => uuidsOf(call),
        () => true,
      );
      if (server?.status !== 'ACTIVE' && others?.every((uuid) => uuid === id) !== false)
        report.doubled.push(`${SERVERS}/${id} became ${JSON.stringify(server)}`);
    }
    await clear(call);
  };
}
