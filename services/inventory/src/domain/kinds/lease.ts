import { BadRequestError, LEASE_CATALOGUE } from '@tenure/contracts';
import { resourceKind, type Values } from './resource-kind.js';

/** A node given to a project for a while. Its records are kept by operations of their own, for they and the node change together. */
export const LEASE = resourceKind({
  section: 'leases',
  type: 'lease',
  label: 'Lease',
  path: 'leases',
  collection: 'leases',
  catalogue: LEASE_CATALOGUE,
  onNode: false,
  named: false,
  assertWhole: assertEnd,
  duplicate: (_field, { uuid }) => `A lease with UUID ${String(uuid)} already exists.`,
});

/** A machine is never cleaned under what is deployed on it. */
function assertEnd({ on_end: end }: Values): void {
  const { undeploy, clean } = end as { readonly undeploy?: boolean; readonly clean?: boolean }; // of its schema
  if (undeploy === false && clean === true)
    throw new BadRequestError(
      'Invalid on_end: a node can not be cleaned without being undeployed.',
    );
}
