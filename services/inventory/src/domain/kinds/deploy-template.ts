import { BadRequestError, DEPLOY_TEMPLATE_CATALOGUE, repeatedIn } from '@tenure/contracts';
import { resourceKind, type Values } from './resource-kind.js';

/** Steps of a deployment for nodes and instances with the trait that is its name. */
export const DEPLOY_TEMPLATE = resourceKind({
  section: 'deploy_templates',
  type: 'deploy_template',
  label: 'Deploy template',
  path: 'deploy_templates',
  collection: 'deploy_templates',
  catalogue: DEPLOY_TEMPLATE_CATALOGUE,
  onNode: false,
  named: true,
  assertWhole: assertDistinctSteps,
  duplicate: (field, { uuid, name }) =>
    field === 'name'
      ? `A deploy template with name ${String(name)} already exists.`
      : `A deploy template with UUID ${String(uuid)} already exists.`,
});

/** One step of an interface runs once in a deployment, so a template names it once. */
function assertDistinctSteps({ steps }: Values): void {
  const names = (steps as readonly Values[]).map(
    (step) => `interface: ${String(step['interface'])}, step: ${String(step['step'])}`,
  ); // of its schema
  const [twice] = repeatedIn(names);
  if (twice !== undefined)
    throw new BadRequestError(
      `Duplicate deploy steps. A deploy template cannot have multiple deploy steps with the same interface and step. Duplicates: ${twice}`,
    );
}
