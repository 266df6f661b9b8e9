import { type PolicyFilter } from '@tenure/contracts';

export const ALL: PolicyFilter = { mode: 'all', predicates: [] };
export const NONE: PolicyFilter = { mode: 'none', predicates: [] };

/** Rows of which one of these fields names the project. */
export const withProject = (project: string, ...fields: readonly string[]): PolicyFilter => ({
  mode: 'any_of',
  predicates: fields.map((field) => ({ field, op: 'eq', value: project })),
});

/** Nodes that a project owns or leases. */
export const nodesOf = (project: string): PolicyFilter => withProject(project, 'owner', 'lessee');
