import {
  type ChassisFields,
  type DeployTemplateFields,
  type PortFields,
  type PortgroupFields,
  type VolumeConnectorFields,
  type VolumeTargetFields,
} from '@tenure/contracts';
import { type StoredRecord } from './record-store.js';

type NamesIn<U> = U extends unknown ? keyof U : never;
type ValueIn<U, K> = U extends unknown ? (K extends keyof U ? U[K] : never) : never;
/** The fields of several kinds, each of which a record has or lacks. */
type FieldsOfAny<U> = { readonly [K in NamesIn<U>]?: ValueIn<U, K> };

/** A port, port group, chassis, volume connector, volume target or deploy template: its catalogue's fields. */
export type ResourceRecord = FieldsOfAny<
  | PortFields
  | PortgroupFields
  | ChassisFields
  | VolumeConnectorFields
  | VolumeTargetFields
  | DeployTemplateFields
> &
  StoredRecord &
  Readonly<{
    created_at: string;
    updated_at: string | null;
    /** Of a volume target or connector: the project that pays for it. */
    charged_to?: string | null;
    /** The tenant, of a record that a tenant added to its node, or changed there. */
    tenant?: string | null;
  }>;
