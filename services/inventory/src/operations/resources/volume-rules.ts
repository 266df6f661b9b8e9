import { BadRequestError, type NodeRecord } from '@tenure/contracts';
import { type Values } from '../../domain/kinds/resource-kind.js';
import { claimantOf, type Claimed, claimFor } from '../claims.js';
import { linkRefused, type ResourceContext } from './find-resource.js';
import { changes, type RuleScope, type WriteRules } from './write-rules.js';

/** Storage is not swapped under a machine that runs. */
const assertPoweredOff = (node: NodeRecord | null, action: string): void => {
  if (node !== null && node.power_state !== 'power off')
    throw new BadRequestError(
      `The requested action "${action}" can not be performed on node "${node.uuid}" while it is in state "${String(node.power_state)}".`,
    );
};

/** Projects whose volumes the caller may use; null is any. */
const usableProjects = ({ obligations }: ResourceContext): readonly string[] | null => {
  const { mode, predicates } = obligations.filter;
  if (mode === 'all') return null;
  if (mode === 'none') return [];
  return predicates.filter(({ field }) => field === 'project_id').map(({ value }) => value);
};

/** The project whose volume it is, once the caller asked for it for its own project. */
const claimantFor = (
  { stores, context }: RuleScope,
  volume: Claimed,
  usable: readonly string[],
): Promise<string | null> => {
  const project = context.subject?.project_id ?? null;
  return project !== null && usable.includes(project)
    ? claimFor({ stores }, volume, project)
    : claimantOf({ stores }, volume);
};

/**
 * Refuses a volume of a project that is not the caller's. One that nobody has used before becomes the caller's project's;
 * of a caller who may use any, the one's for whom the node works.
 * @throws BadRequestError
 */
const claimVolume = async (scope: RuleScope, { volume_id: id }: Values): Promise<void> => {
  const { stores, node, context } = scope;
  const volume = { kind: 'volume', id: String(id) } as const;
  const usable = usableProjects(context);
  if (usable === null) {
    await claimFor({ stores }, volume, node?.lessee ?? node?.owner ?? null);
    return;
  }
  const claimant = await claimantFor(scope, volume, usable);
  if (claimant === null || !usable.includes(claimant)) throw linkRefused('volume_id');
};

const rulesFor = (what: string): WriteRules => ({
  updated: ({ node }) => {
    assertPoweredOff(node, `${what} update`);
    return Promise.resolve();
  },
  removed: ({ node }) => {
    assertPoweredOff(node, `${what} deletion`);
    return Promise.resolve();
  },
});

export const VOLUME_CONNECTOR_RULES = rulesFor('volume connector');

const POWER_RULES = rulesFor('volume target');

export const VOLUME_TARGET_RULES: WriteRules = {
  ...POWER_RULES,
  created: claimVolume,
  updated: async (scope, before, after) => {
    await POWER_RULES.updated?.(scope, before, after);
    // Also when the target moves: a volume is not taken to a machine that its project would not have given it to.
    if (changes(before, after, 'volume_id', 'node_uuid')) await claimVolume(scope, after);
  },
};
