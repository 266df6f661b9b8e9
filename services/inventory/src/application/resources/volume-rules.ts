import { type AppError, BadRequestError, ConflictError, type NodeRecord } from '@tenure/contracts';
import { type ExternalResource, externalResourceIn } from '../../domain/external-resources.js';
import { type ResourceSection, type Values } from '../../domain/kinds/resource-kind.js';
import { VOLUME_CONNECTOR } from '../../domain/kinds/volume-connector.js';
import { claimFor, claimOf, noteClaim, releaseLeft, useOf } from '../claims.js';
import { linkRefused, type ResourceContext } from './find-resource.js';
import { changes, type RuleScope, type WriteRules } from './write-rules.js';

interface Naming {
  readonly section: ResourceSection;
  /** The field that names the resource. */
  readonly field: 'volume_id' | 'connector_id';
  /** The error for a resource of another project. */
  readonly refusal: (values: Values) => AppError;
}

const rulesFor = (what: string, naming: Naming): WriteRules => ({
  created: (scope, values) => claimResource(scope, naming, values),
  updated: async (scope, before, after) => {
    assertPoweredOff(scope.node, `${what} update`);
    // Also when the record moves: a resource does not move to a machine that its project could not have attached it to.
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
 * Refuses a resource of another project. A free one is claimed for the caller's project; for a caller who may use any,
 * it is claimed for the project that has the node.
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

/** Two callers may have claimed a resource at once: it must still be the caller's when the record is written. */
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

/** Projects whose resources the caller may use; null is any. */
function usableProjects({ obligations }: ResourceContext): readonly string[] | null {
  const { mode, predicates } = obligations.filter;
  if (mode === 'all') return null;
  if (mode === 'none') return [];
  return predicates.filter(({ field }) => field === 'project_id').map(({ value }) => value);
}

/**
 * Checks a volume at the block storage service, whose answer counts, and updates the claim for the list of claims.
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

/**
 * The project for which a resource is claimed: the caller's, or, for a caller who may use any, the one that has the
 * machine.
 */
function claimantFor(
  { context, node }: RuleScope,
  usable: readonly string[] | null,
): string | null {
  if (usable === null) return node?.lessee ?? node?.owner ?? null;
  const project = context.subject?.project_id ?? null;
  return project !== null && usable.includes(project) ? project : null;
}
