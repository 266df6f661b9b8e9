import { type AppError, BadRequestError, ConflictError, type NodeRecord } from '@tenure/contracts';
import { type ExternalResource, externalResourceIn } from '../../domain/external-resources.js';
import { type ResourceSection, type Values } from '../../domain/kinds/resource-kind.js';
import { VOLUME_CONNECTOR } from '../../domain/kinds/volume-connector.js';
import { claimFor, claimOf, noteClaim, releaseLeft, useOf } from '../claims.js';
import { linkRefused, type ResourceContext } from './find-resource.js';
import { changes, type RuleScope, type WriteRules } from './write-rules.js';

interface Naming {
  readonly section: ResourceSection;
  /** The field that names the thing. */
  readonly field: 'volume_id' | 'connector_id';
  /** What a caller gets to know of a thing that is another's. */
  readonly refusal: (values: Values) => AppError;
}

const rulesFor = (what: string, naming: Naming): WriteRules => ({
  created: (scope, values) => claimResource(scope, naming, values),
  updated: async (scope, before, after) => {
    assertPoweredOff(scope.node, `${what} update`);
    // Also when the record moves: a thing is not taken to a machine that its project would not have given it to.
    if (changes(before, after, naming.field, 'node_uuid'))
      await claimResource(scope, naming, after);
  },
  removed: ({ node }) => {
    assertPoweredOff(node, `${what} deletion`);
    return Promise.resolve();
  },
  written: async (scope, before, after) => {
    if (before === null || changes(before, after, naming.field, 'node_uuid'))
      await assertStillClaimed(scope, naming, after);
  },
  left: ({ stores }, record) => releaseLeft({ stores }, naming.section, record),
});

export const VOLUME_CONNECTOR_RULES = rulesFor('volume connector', {
  section: 'volume_connectors',
  field: 'connector_id',
  // As for one of the same spelling, of which there is one in the fleet.
  refusal: (values) =>
    new ConflictError('duplicate', VOLUME_CONNECTOR.duplicate('connector_id', values)),
});

export const VOLUME_TARGET_RULES = rulesFor('volume target', {
  section: 'volume_targets',
  field: 'volume_id',
  refusal: () => linkRefused('volume_id'),
});

/**
 * Refuses a thing of a project that is not the caller's. One that nothing uses becomes the caller's project's; of a caller
 * who may use any, the one's for whom the node works.
 * @throws the refusal; UnavailableError
 */
async function claimResource(
  scope: RuleScope,
  { section, refusal }: Naming,
  values: Values,
): Promise<void> {
  const resource = externalResourceIn(section, values);
  if (resource === undefined) return;
  const { stores, volumes } = scope;
  const usable = usableProjects(scope.context);
  if (volumes !== undefined && resource.kind === 'volume')
    return followRegistry({ stores }, resource, await volumes.projectOf(resource.id), usable);
  const claimant = claimantFor(scope, usable);
  const now =
    usable !== null && claimant === null
      ? (await useOf({ stores }, resource)).projectId
      : await claimFor({ stores }, resource, claimant);
  if (usable !== null && (now === null || !usable.includes(now))) throw refusal(values);
}

/** Storage is not swapped under a machine that runs. */
function assertPoweredOff(node: NodeRecord | null, action: string): void {
  if (node !== null && node.power_state !== 'power off')
    throw new BadRequestError(
      `The requested action "${action}" can not be performed on node "${node.uuid}" while it is in state "${String(node.power_state)}".`,
    );
}

/** Two may have claimed a thing at once: it is the caller's only while it still is when the record is written. */
async function assertStillClaimed(
  { stores, volumes, context }: RuleScope,
  { section, refusal }: Naming,
  values: Values,
): Promise<void> {
  const resource = externalResourceIn(section, values);
  const usable = usableProjects(context);
  if (resource === undefined || usable === null) return;
  if (volumes !== undefined && resource.kind === 'volume') return;
  const { projectId } = await useOf({ stores }, resource);
  if (projectId === null || !usable.includes(projectId)) throw refusal(values);
}

/** Projects whose things the caller may use; null is any. */
function usableProjects({ obligations }: ResourceContext): readonly string[] | null {
  const { mode, predicates } = obligations.filter;
  if (mode === 'all') return null;
  if (mode === 'none') return [];
  return predicates.filter(({ field }) => field === 'project_id').map(({ value }) => value);
}

/**
 * What the block storage service says counts; what is written down here follows it, for whoever lists claims.
 * @throws BadRequestError when there is no such volume, or it is not one that the caller may use; UnavailableError
 */
async function followRegistry(
  deps: Pick<RuleScope, 'stores'>,
  resource: ExternalResource,
  project: string | undefined,
  usable: readonly string[] | null,
): Promise<void> {
  if (project === undefined || usable?.includes(project) === false) throw linkRefused('volume_id');
  const claim = await claimOf(deps, resource);
  if (claim?.project_id !== project)
    await noteClaim(deps, resource, claim, { project_id: project });
}

/** For whom a thing is claimed: for the caller's project, or, by who may use any, for the one that has the machine. */
function claimantFor(
  { context, node }: RuleScope,
  usable: readonly string[] | null,
): string | null {
  if (usable === null) return node?.lessee ?? node?.owner ?? null;
  const project = context.subject?.project_id ?? null;
  return project !== null && usable.includes(project) ? project : null;
}
