import { isDeepStrictEqual } from 'node:util';
import {
  AccessDeniedError,
  BadRequestError,
  isTenancyId,
  type NodeRecord,
  type Obligations,
} from '@tenure/contracts';

/**
 * A deployment makes the project of `instance_info` the lessee, so writing it requires the right to write `lessee`.
 * Removing it does not.
 * @param before null for a node that is created
 * @throws AccessDeniedError when another project is written by a request whose decision has `lessee` read-only;
 * BadRequestError for a text that is no id of a project
 */
export function assertInstanceProject(
  before: NodeRecord | null,
  after: NodeRecord,
  { fields }: Pick<Obligations, 'fields'>,
): void {
  const project = projectIn(after);
  if (project === null) return;
  if (before !== null && isDeepStrictEqual(project, projectIn(before))) return;
  if (fields.read_only.includes('lessee'))
    throw new AccessDeniedError('baremetal:node:update:lessee');
  if (typeof project === 'string' && project !== '' && !isTenancyId(project))
    throw new BadRequestError('instance_info/project_id is no id of a project.');
}

const projectIn = (node: NodeRecord): unknown => node.instance_info['project_id'] ?? null;
