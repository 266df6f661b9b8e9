import { randomUUID } from 'node:crypto';
import { sleep } from '../../support/wait.js';
import { owner, type Session, type Operation } from '../session.js';
import { POOL_CLASS } from '../world.js';

interface AllocationView {
  readonly state: string;
  readonly node_uuid: string | null;
}

const TRIES = 150;
/** As long as orders have. */
const PATIENCE_MS = 90_000;

/** Allocates a node of the pool, keeps it for a moment, and gives it back. */
export function allocator(session: Session): Operation {
  const ended = async (uuid: string): Promise<AllocationView | null> => {
    const until = performance.now() + PATIENCE_MS;
    let isAllocating = false;
    while (performance.now() < until) {
      const { status, json } = await session.call(owner, `GET /v1/allocations/${uuid}`);
      if (status === 404) return null;
      if (status === 200 && (json as AllocationView).state !== 'allocating')
        return json as AllocationView;
      isAllocating ||= status === 200;
      await sleep(300);
    }
    if (isAllocating) session.add({ kind: 'waiting', allocation: uuid });
    return null;
  };
  const removed = async (uuid: string): Promise<void> => {
    for (let n = 0; n < TRIES; n += 1) {
      const { status } = await session.call(owner, `DELETE /v1/allocations/${uuid}`);
      if (status === 204 || status === 404) return;
      await sleep(300);
    }
  };
  return async () => {
    const uuid = randomUUID();
    const body = { uuid, resource_class: POOL_CLASS };
    const answer = await session.call(owner, 'POST /v1/allocations', body);
    await session.inDoubt(answer);
    const allocation = answer.outcome === 'refused' ? null : await ended(uuid);
    const node = allocation?.state === 'active' ? allocation.node_uuid : null;
    if (node !== null) session.add({ kind: 'allocated', allocation: uuid, node });
    await session.pause();
    if (node !== null) session.add({ kind: 'released', allocation: uuid, node });
    if (answer.outcome !== 'refused') await removed(uuid);
  };
}
