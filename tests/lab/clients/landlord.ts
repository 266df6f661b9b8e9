import { inProject } from '../../support/personas.js';
import { sleep } from '../../support/wait.js';
import { type NodeView, owner, type Session, type Operation } from '../session.js';
import { type Machine } from '../world.js';

/** Gives a machine to one tenant after the other; who had it before tries to see it. */
export function landlord(session: Session, { node }: Machine): Operation {
  let number = 0;
  let tenant: string | null = null;
  const path = `/v1/nodes/${node.uuid}`;
  const lessee = async (): Promise<string | null | undefined> => {
    const { status, json } = await session.call(owner, `GET ${path}`);
    return status === 200 ? (json as NodeView).lessee : undefined;
  };
  const isSeen = async (former: string): Promise<void> => {
    const line = `GET ${path}`;
    const { status } = await session.call(inProject(former, 'admin'), line);
    session.add({ kind: 'former', node: node.name, line, status });
  };
  return async () => {
    const next = `lab-${node.name}-${String((number += 1))}`;
    const patch = [{ op: 'add', path: '/lessee', value: next }];
    const answer = await session.call(owner, `PATCH ${path}`, patch);
    await session.inDoubt(answer);
    if (answer.outcome === 'ok' || (await lessee()) === next) {
      const former = tenant;
      tenant = next;
      for (let n = 0; n < 3 && former !== null; n += 1) await isSeen(former);
    }
    // A machine that is being handed over cannot be given to another tenant.
    await sleep(session.random.between(500, 2000));
  };
}
