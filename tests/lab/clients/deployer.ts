import { type FleetNode } from '../../support/fleet.js';
import { owner, type Session, type Operation } from '../session.js';

/** Deploys a node and tears it down, alternately. */
export function deployer(session: Session, { uuid, name }: FleetNode): Operation {
  let order = { verb: 'active', target: 'active' };
  return async () => {
    const line = `PUT /v1/nodes/${uuid}/states/provision`;
    const answer = await session.call(owner, line, { target: order.verb });
    await session.inDoubt(answer);
    const end = await session.atRest(uuid);
    session.add({
      kind: 'order',
      node: name,
      target: order.target,
      outcome: answer.outcome,
      end: end === null ? null : { state: end.provision_state, error: end.last_error },
      commands: [],
      isIgnored: false,
    });
    order =
      end?.provision_state === 'available'
        ? { verb: 'active', target: 'active' }
        : { verb: 'deleted', target: 'available' };
    await session.pause();
  };
}
