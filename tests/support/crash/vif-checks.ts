import { askLatest } from '../http-client.js';
import { systemAdmin } from '../personas.js';
import { type Fields, type Check, type Subject } from './orders.js';

/** Looks whether the VIF of a case is on its node at this ending, and at no other. */
export const holdsVif =
  (when: 'before' | 'done') =>
  async (...[tenure, subject, ending]: Parameters<Check>): Promise<readonly string[]> => {
    const wanted = ending === when ? [subject.vif] : [];
    const vifs = await vifsOf(tenure, subject, ending);
    return String(vifs) === String(wanted) ? [] : [`VIFs ${String(vifs)}`];
  };

/** A port to which the VIF of a case is attached. */
export const attached = ({ vif }: Pick<Subject, 'vif'>): readonly Fields[] => [
  { internal_info: { tenant_vif_port_id: vif } },
];

async function vifsOf(...[tenure, { node }]: Parameters<Check>): Promise<readonly string[]> {
  const { json } = await askLatest(tenure, systemAdmin, `GET /v1/nodes/${node.uuid}/vifs`);
  return (json as { vifs: readonly { id: string }[] }).vifs.map(({ id }) => id);
}
