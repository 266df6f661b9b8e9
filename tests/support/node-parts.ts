import { randomBytes, randomUUID } from 'node:crypto';
import { type FleetNode } from './fleet.js';

/** The resources that belong to a node, in an inventory document. */
export interface Part extends Readonly<Record<string, unknown>> {
  readonly uuid: string;
}

type Fields = Readonly<Record<string, unknown>>;

let targets = 0;

/** A locally administered MAC address that nothing else has. */
export const newMac = (): string =>
  ['02', ...(randomBytes(5).toString('hex').match(/../gu) ?? [])].join(':');

export const portOn = (node: FleetNode, fields: Fields = {}): Part =>
  on(node, { address: newMac(), ...fields });

export const portgroupOn = (node: FleetNode, fields: Fields = {}): Part =>
  on(node, { address: newMac(), ...fields });

export const connectorOn = (node: FleetNode, fields: Fields = {}): Part =>
  on(node, { type: 'iqn', connector_id: `iqn.2026-11.test:${randomUUID()}`, ...fields });

/** A volume target with a boot index that no other has. */
export function targetOn(node: FleetNode, fields: Fields = {}): Part {
  targets += 1;
  return on(node, {
    volume_type: 'iscsi',
    boot_index: targets,
    volume_id: randomUUID(),
    ...fields,
  });
}

const on = ({ uuid }: FleetNode, fields: Fields): Part => ({
  uuid: randomUUID(),
  node_uuid: uuid,
  ...fields,
});
