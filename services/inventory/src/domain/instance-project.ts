import { isDeepStrictEqual } from 'node:util';
import { AccessDeniedError, type NodeRecord, type Obligations } from '@tenure/contracts';

const projectIn = (node: NodeRecord): unknown =>
  (node['instance_info'] as Readonly<Record<string, unknown>>)['project_id'] ?? null; // an object on every node

/**
 * A deployment makes the project of `instance_info` the lessee: to write it is to write `lessee`. Its removal writes nothing.
 * @param before null for a node that is created
 * @throws AccessDeniedError when another project is written by a request whose decision has `lessee` read-only
 */
export const assertInstanceProject = (
  before: NodeRecord | null,
  after: NodeRecord,
  { fields }: Pick<Obligations, 'fields'>,
): void => {
  const project = projectIn(after);
  if (project === null || !fields.read_only.includes('lessee')) return;
  if (before !== null && isDeepStrictEqual(project, projectIn(before))) return;
  throw new AccessDeniedError('baremetal:node:update:lessee');
};
