import { type api, BadRequestError, type NodeRecord, repeatedIn } from '@tenure/contracts';
import { type ProvisionOrder } from './order.js';
import { stepName } from './steps.js';

/** Steps of every deployment whose instance has the trait that is the template's name. */
export interface DeployTemplate {
  readonly name: string;
  readonly steps: readonly api.ProvisionStep[];
}

/**
 * The traits that an instance requests, each of which may name a deploy template.
 * @throws BadRequestError with Ironic's message when they are no list, or not all of them are the node's
 */
export function instanceTraitsOf(node: NodeRecord): readonly string[] {
  const { traits = [] } = node.instance_info;
  if (!isTextList(traits))
    throw new BadRequestError(
      `Error parsing traits from Node ${node.uuid} instance_info field. A list of strings is expected.`,
    );
  const missing = [...new Set(traits)].filter((trait) => !node.traits.includes(trait));
  if (missing.length > 0)
    throw new BadRequestError(
      `Cannot specify instance traits that are not also set on the node. Node ${node.uuid} is missing traits ${missing.join(', ')}`,
    );
  return [...new Set(traits)];
}

/**
 * A deployment with the steps of its templates. The caller's version of a step overrides that of a template. A step of
 * priority 0 is kept, because it switches off a default step.
 * @throws BadRequestError with Ironic's message when two templates name the same step
 */
export function withTemplates(
  order: ProvisionOrder,
  templates: readonly DeployTemplate[],
): ProvisionOrder {
  assertDistinct(templates);
  const given = new Set(order.steps.map((step) => stepName(step)));
  const added = templates
    .flatMap(({ steps }) => steps)
    .filter((step) => !given.has(stepName(step)));
  return { ...order, steps: [...order.steps, ...added].toSorted(byPriority) };
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** A step of an interface runs once in a deployment, so two templates that name it cannot both be meant. */
function assertDistinct(templates: readonly DeployTemplate[]): void {
  const names = templates.flatMap(({ steps }) => steps.map((step) => stepName(step)));
  const twice = repeatedIn(names);
  if (twice.size === 0) return;
  const which = templates.map(({ name }) => name).join(', ');
  throw new BadRequestError(
    `Validation of deploy steps from deploy templates matching this node's instance traits failed. Matching deploy templates: ${which}. Errors: duplicate deploy steps: ${[...twice].join(', ')}`,
  );
}

const byPriority = (one: api.ProvisionStep, other: api.ProvisionStep): number =>
  (other.priority ?? 0) - (one.priority ?? 0);
