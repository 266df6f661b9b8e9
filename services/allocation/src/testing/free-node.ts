import { type NodeRecord } from '@tenure/contracts';
import { aNode } from '@tenure/testing';

/** An unowned node that any allocation of the class `baremetal` may take, unless said otherwise. */
export const freeNode = (uuid: string, fields: Partial<NodeRecord> = {}): NodeRecord =>
  aNode({ uuid, owner: null, resource_class: 'baremetal', ...fields });
