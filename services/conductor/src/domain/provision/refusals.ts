import { AppError, BadRequestError, fieldOf, type NodeRecord } from '@tenure/contracts';
import { unsupportedSentence } from '../driver-failure.js';
import { type ProvisionOrder } from './order.js';
import { type ProvisionEvent, type Transition, transitionOf } from './transitions.js';

// As Ironic's default: cleaning and tearing down go on in maintenance, whatever puts a workload on the machine does not.
const NOT_IN_MAINTENANCE: Partial<Readonly<Record<ProvisionEvent, string>>> = {
  deploy: 'provisioning',
  rebuild: 'provisioning',
  clean: 'cleaning',
  rescue: 'rescuing',
  unrescue: 'unrescuing',
  service: 'servicing',
};

const REFUSED_WHEN_PROTECTED: ReadonlySet<ProvisionEvent> = new Set(['delete', 'rebuild']);

const noInterface: Partial<Readonly<Record<ProvisionEvent, readonly [string, string]>>> = {
  inspect: ['inspect_interface', 'inspect'],
  rescue: ['rescue_interface', 'rescue'],
  unrescue: ['rescue_interface', 'rescue'],
};

/** @returns a BadRequestError with Ironic's message */
export const unsupported = (node: NodeRecord, what: string): BadRequestError =>
  new BadRequestError(`${unsupportedSentence(node.driver, what)}.`);

/**
 * The transition of an order in the node's present state.
 * @throws BadRequestError with Ironic's message; AppError 403 for a protected or retired node
 */
export function checkedTransition(
  { event, target }: Pick<ProvisionOrder, 'event' | 'target'>,
  node: NodeRecord,
): Transition {
  if (event !== undefined) checkMaintenance(event, node);
  const transition = event === undefined ? undefined : transitionOf(event, node.provision_state);
  if (event === undefined || transition === undefined)
    throw new BadRequestError(
      `The requested action "${target}" can not be performed on node "${node.uuid}" while it is in state "${node.provision_state}".`,
    );
  checkGuards(event, node);
  return transition;
}

function checkMaintenance(event: ProvisionEvent, node: NodeRecord): void {
  const operation = NOT_IN_MAINTENANCE[event];
  if (node.maintenance && operation !== undefined)
    throw new BadRequestError(
      `The ${operation} operation can't be performed on node ${node.uuid} because it's in maintenance mode.`,
    );
}

function checkGuards(event: ProvisionEvent, node: NodeRecord): void {
  if (node.protected && REFUSED_WHEN_PROTECTED.has(event))
    throw new AppError(
      'node_protected',
      403,
      `Node ${node.uuid} is protected and can not be undeployed, rebuilt or deleted`,
    );
  if (node.retired && event === 'provide')
    throw new AppError(
      'node_retired',
      403,
      `The providing operation can't be performed on node ${node.uuid} because it is retired.`,
    );
  const [field, what] = noInterface[event] ?? [];
  if (field !== undefined && what !== undefined && fieldOf(node, field) === `no-${what}`)
    throw unsupported(node, what);
}
