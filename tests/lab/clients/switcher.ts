import { type Session, type Operation, owner } from '../session.js';
import { type Machine } from '../world.js';

/** Switches a machine on and off, one order after the other. */
export function switcher(session: Session, { node, bmc }: Machine): Operation {
  let target = 'power on';
  return async () => {
    const before = bmc.carriedOut.length;
    const ignores = (): boolean => bmc.faults.resetIgnored || bmc.faults.resetPretended;
    let isIgnored = ignores();
    const watch = setInterval(() => {
      isIgnored ||= ignores();
    }, 20);
    const path = `/v1/nodes/${node.uuid}`;
    const answer = await session.call(owner, `PUT ${path}/states/power`, { target });
    await session.inDoubt(answer);
    const end = await session.atRest(node.uuid);
    clearInterval(watch);
    session.add({
      kind: 'order',
      node: node.name,
      target,
      outcome: answer.outcome,
      end: end === null ? null : { state: end.power_state, error: end.last_error },
      commands: bmc.carriedOut.slice(before),
      isIgnored,
    });
    target = end?.power_state === 'power on' ? 'power off' : 'power on';
  };
}
