import { sleep } from '../wait.js';
import { type Cast, classOf, type Fleet } from './callers.js';
import { type Call, type Client } from './load.js';
import { LOOKS, type Report, type Progress, until } from './report.js';
import { builder } from './server-builder.js';

/**
 * How long an order without an answer may still be carried out: its signed context is good for ten seconds, and two more for
 * clocks that differ; then the conductor that was frozen with it does its work.
 */
const LATE_ORDER_MS = 15_000;

/** Callers that write; their expectations of the final state go into `report`. */
export function writers(cast: Cast, fleet: Fleet, report: Report): readonly Client[] {
  const owners = new Map<string, string>();
  return [
    ...fleet.written.map(({ uuid }) => patcher(cast, uuid, report)),
    ...fleet.powered.map(({ uuid }) => switcher(cast, uuid, report)),
    allocator(cast, owners, report),
    allocator(cast, owners, report),
    builder(cast, fleet.forServers.uuid, report),
  ];
}

/** Adds a member to `extra` with each request, and remembers which were acknowledged. */
function patcher({ owner }: Cast, uuid: string, report: Report): Client {
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
}

/**
 * Switches a node on and off alternately; each order is carried out. One that follows an order without an answer is not looked at:
 * the other may be carried out after it.
 */
function switcher({ owner }: Cast, uuid: string, report: Report): Client {
  let target = 'power on';
  let inDoubtUntil = 0;
  const path = `/v1/nodes/${uuid}`;
  return async (call) => {
    const answer = await call(owner, `PUT ${path}/states/power`, {
      // 409: an order whose answer was lost is under way.
      status: [202, 409],
      body: { target },
    });
    if (answer === undefined) inDoubtUntil = performance.now() + LATE_ORDER_MS;
    const final = await until(
      async () => (await call(owner, `GET ${path}`, { status: 200 }))?.json as Progress | undefined,
      ({ reservation, target_power_state: target }) => !reservation && target === null,
    );
    if (final === undefined) report.doubled.push(`${path} is still locked`);
    else if (
      answer?.status === 202 &&
      final.power_state !== target &&
      performance.now() > inDoubtUntil
    )
      report.doubled.push(`${path}: accepted ${target}, is ${String(final.power_state)}`);
    target = target === 'power on' ? 'power off' : 'power on';
  };
}

/** Allocates a node of the pool, keeps it for a moment, and gives it back. */
function allocator({ owner, project }: Cast, owners: Map<string, string>, report: Report): Client {
  const release = async (call: Call, uuid: string): Promise<void> => {
    // 404: the answer to the first of two requests was lost.
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
      async () => (await call(owner, path, { status: 200 }))?.json as Progress | undefined,
      ({ state }) => state !== 'allocating',
    );
    const node = ended?.state === 'active' ? (ended.node_uuid ?? '') : '';
    if (ended === undefined) report.doubled.push(`allocation ${uuid} does not end`);
    if (owners.has(node))
      report.doubled.push(`${node} is allocated to ${owners.get(node) ?? ''} and ${uuid}`);
    if (node !== '') owners.set(node, uuid);
    await sleep(100);
    owners.delete(node);
    await release(call, uuid);
  };
}
