import { type NodeRecord } from '@tenure/contracts';
import { type Values } from '../../domain/kinds/resource-kind.js';
import { type ResourceRecord } from '../../ports/resource-records.js';
import { type VolumeRegistry } from '../../ports/volume-registry.js';
import { type ResourceContext, type ResourceStores } from './find-resource.js';

/** The input of a rule. */
export interface RuleScope {
  readonly stores: ResourceStores;
  /**
   * The node of the record; null when it belongs to none. For an update that moves the record, the node that it leaves.
   */
  readonly node: NodeRecord | null;
  readonly context: ResourceContext;
  /** The registry of volume owners; undefined where the first use of a volume decides on its project. */
  readonly volumes?: VolumeRegistry | undefined;
}

/** Rules of a kind for its writes, beyond its values; each throws an AppError to refuse. */
export interface WriteRules {
  readonly created?: (scope: RuleScope, values: Values) => Promise<void>;
  readonly updated?: (
    scope: RuleScope,
    before: ResourceRecord,
    after: ResourceRecord,
  ) => Promise<void>;
  readonly removed?: (scope: RuleScope, record: ResourceRecord) => Promise<void>;
  /** After a write that may be taken back: what it throws takes it back. `before` is null for a new record. */
  readonly written?: (
    scope: RuleScope,
    before: ResourceRecord | null,
    after: ResourceRecord,
  ) => Promise<void>;
  /** Cleans up after a record was removed or changed. A crash may skip it. */
  readonly left?: (scope: RuleScope, record: ResourceRecord) => Promise<void>;
}

/** Whether an update changes one of these fields. */
export const changes = (before: Values, after: Values, ...fields: readonly string[]): boolean =>
  fields.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
