import { type FleetNode } from '../../support/fleet.js';
import { owner, type Session, type Operation } from '../session.js';

/** Writes member after member into `extra` of a node. */
export function writer(session: Session, { uuid }: FleetNode): Operation {
  let n = 0;
  return async () => {
    const key = `k${String((n += 1))}`;
    const patch = [{ op: 'add', path: `/extra/${key}`, value: n }];
    const { outcome } = await session.call(owner, `PATCH /v1/nodes/${uuid}`, patch);
    session.add({ kind: 'write', node: uuid, key, outcome });
    await session.pause();
  };
}
