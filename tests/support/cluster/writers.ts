import { IMAGE } from '../servers.js';
import { sleep } from '../wait.js';
import { type Cast, classOf, type Fleet } from './callers.js';
import { type Call, type Client } from './load.js';

/** What the callers learnt of what they did. */
export interface Report {
  /** By node: members of `extra` whose writing was acknowledged. */
  readonly extra: Map<string, Set<string>>;
  /** Nodes that two allocations had at the same time, and the like. */
  readonly doubled: string[];
}

/** How often a caller looks whether what it ordered is done, before it goes on. */
const LOOKS = 120;
const LOOK_MS = 200;

interface Settled {
  readonly state?: string;
  readonly provision_state?: string;
  readonly node_uuid?: string | null;
  readonly reservation?: string | boolean | null;
  readonly target_power_state?: string | null;
  readonly power_state?: string | null;
}

/** Asks until what is shown satisfies; undefined when it does not in time, which only a disturbance excuses. */
const until = async (
  look: () => Promise<Settled | undefined>,
  isGood: (shown: Settled) => boolean,
): Promise<Settled | undefined> => {
  for (let n = 0; n < LOOKS; n += 1) {
    const shown = await look();
    if (shown !== undefined && isGood(shown)) return shown;
    await sleep(LOOK_MS);
  }
  return undefined;
};

/** Adds a member to `extra` with each request, and remembers which were acknowledged. */
const patcher = ({ owner }: Cast, uuid: string, report: Report): Client => {
  const acknowledged = new Set<string>();
  report.extra.set(uuid, acknowledged);
  let n = 0;
  return async (call) => {
    const key = `k${String((n += 1))}`;
    const answer = await call(owner, `PATCH /v1/nodes/${uuid}`, {
      status: 200,
      body: [{ op: 'add', path: `/extra/${key}`, value: key }],
      complaint: (json) =>
        (json as { readonly extra: Readonly<Record<string, unknown>> }).extra[key] === key
          ? undefined
          : 'does not show what was written',
    });
    if (answer !== undefined) acknowledged.add(key);
  };
};

/** Switches a node on and off in turn; each order is carried out. */
const switcher = ({ owner }: Cast, uuid: string, report: Report): Client => {
  let target = 'power on';
  const path = `/v1/nodes/${uuid}`;
  return async (call) => {
    const answer = await call(owner, `PUT ${path}/states/power`, {
      // 409: an order whose answer was lost is under way.
      status: [202, 409],
      body: { target },
    });
    const settled = await until(
      async () => (await call(owner, `GET ${path}`, { status: 200 }))?.json as Settled | undefined,
      ({ reservation, target_power_state: target }) => !reservation && target === null,
    );
    if (settled === undefined) report.doubled.push(`${path} is still locked`);
    else if (answer?.status === 202 && settled.power_state !== target)
      report.doubled.push(`${path}: accepted ${target}, is ${String(settled.power_state)}`);
    target = target === 'power on' ? 'power off' : 'power on';
  };
};

/** Allocates a node of the pool, keeps it for a moment, and gives it back. */
const allocator = ({ owner, project }: Cast, held: Map<string, string>, report: Report): Client => {
  const release = async (call: Call, uuid: string): Promise<void> => {
    // 404: the answer to the first of two requests was lost, or the ingress sent it twice.
    const status = [204, 404];
    for (let n = 0; n < LOOKS; n += 1)
      if ((await call(owner, `DELETE /v1/allocations/${uuid}`, { status })) !== undefined) return;
    report.doubled.push(`allocation ${uuid} cannot be deleted`);
  };
  return async (call) => {
    const created = await call(owner, 'POST /v1/allocations', {
      status: 201,
      body: { resource_class: classOf(project, 'pool') },
    });
    if (created === undefined) return;
    const { uuid } = created.json as { readonly uuid: string };
    const path = `GET /v1/allocations/${uuid}`;
    const ended = await until(
      async () => (await call(owner, path, { status: 200 }))?.json as Settled | undefined,
      ({ state }) => state !== 'allocating',
    );
    const node = ended?.state === 'active' ? (ended.node_uuid ?? '') : '';
    if (ended === undefined) report.doubled.push(`allocation ${uuid} does not end`);
    if (held.has(node))
      report.doubled.push(`${node} is held by ${held.get(node) ?? ''} and ${uuid}`);
    if (node !== '') held.set(node, uuid);
    await sleep(100);
    held.delete(node);
    await release(call, uuid);
  };
};

const NOVA = { 'OpenStack-API-Version': 'compute 2.93' };

/** Builds a server on the one node there is for it, deletes it, and waits until the node is clean. */
const builder = ({ owner, project }: Cast, host: string, report: Report): Client => {
  const statusOf = (json: unknown): string | undefined =>
    (json as { readonly server?: { readonly status: string } }).server?.status;
  const gone = async (call: Call, path: string): Promise<void> => {
    await call(owner, `DELETE ${path}`, { status: [204, 404], headers: NOVA });
    const end = await until(
      async () => {
        const answer = await call(owner, `GET ${path}`, { status: [200, 404], headers: NOVA });
        return answer && { state: String(answer.status) };
      },
      ({ state }) => state === '404',
    );
    if (end === undefined) await gone(call, path);
  };
  /** Also servers whose creation got no answer: they hold the node. */
  const clear = async (call: Call): Promise<void> => {
    const listed = await call(owner, 'GET /v2.1/servers', { status: 200, headers: NOVA });
    const { servers = [] } = (listed?.json ?? {}) as { readonly servers?: { id: string }[] };
    for (const { id } of servers) await gone(call, `/v2.1/servers/${id}`);
    await until(
      async () =>
        (await call(owner, `GET /v1/nodes/${host}`, { status: 200 }))?.json as Settled | undefined,
      ({ provision_state: state }) => state === 'available',
    );
  };
  return async (call) => {
    const flavorRef = classOf(project, 'server');
    const server = { name: 'one', flavorRef, imageRef: IMAGE, networks: 'none' };
    const created = await call(owner, 'POST /v2.1/servers', {
      status: 202,
      body: { server },
      headers: NOVA,
    });
    if (created === undefined) {
      await clear(call);
      return;
    }
    const { id } = (created.json as { readonly server: { readonly id: string } }).server;
    const path = `/v2.1/servers/${id}`;
    const built = await until(
      async () => {
        const answer = await call(owner, `GET ${path}`, { status: 200, headers: NOVA });
        return answer && { state: statusOf(answer.json) ?? '' };
      },
      ({ state }) => state !== 'BUILD',
    );
    if (built?.state !== 'ACTIVE') report.doubled.push(`${path} became ${String(built?.state)}`);
    await clear(call);
  };
};

/** Callers that change things; what must be true of it afterwards goes into `report`. */
export const writers = (cast: Cast, fleet: Fleet, report: Report): readonly Client[] => {
  const held = new Map<string, string>();
  return [
    ...fleet.written.map(({ uuid }) => patcher(cast, uuid, report)),
    ...fleet.powered.map(({ uuid }) => switcher(cast, uuid, report)),
    allocator(cast, held, report),
    allocator(cast, held, report),
    builder(cast, fleet.forServers.uuid, report),
  ];
};
