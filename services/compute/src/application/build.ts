import { timestampOf } from '@tenure/contracts';
import { configDriveOf } from '../domain/config-drive.js';
import { imageInfoOf } from '../domain/image.js';
import { type PlacedNode } from '../ports/machines.js';
import { hasFailed, isActive } from './node-states.js';
import { release } from './release.js';
import {
  AGAIN,
  ended,
  endedInError,
  goOn,
  isLate,
  powerStateOf,
  refusalOf,
  type Step,
  type StepContext,
  type StepResult,
  WAIT,
} from './step.js';

const NO_VALID_HOST = 'No valid host was found.';

/** The `instance_info` of a node for the server that it is to run. */
export const instanceInfoOf = (
  { server }: Pick<StepContext, 'server'>,
  node: PlacedNode,
): Readonly<Record<string, unknown>> => ({
  ...imageInfoOf(server.image_ref, node.deploy_interface),
  project_id: server.project_id,
  ...(server.user_id !== null && { user_id: server.user_id }),
  flavor_name: server.flavor_id,
});

/** Reserves a node, and deploys the server's image on it. */
export const buildStep: Step = async (context) => {
  const { server, task, placement, limits } = context;
  if (task.failure !== null) return afterFailure(context, task.failure);
  if (isLate(context, limits.build))
    return failed(context, `Build of instance ${server.uuid} took too long.`);
  return placement.node === null ? findNode(context) : onNode(context, placement.node);
};

async function afterFailure(context: StepContext, message: string): Promise<StepResult> {
  // Resources that cannot be released in time are left to the deletion of the server.
  if (isLate(context, context.limits.build + context.limits.remove))
    return endedInError(context, message);
  const result = await release(context);
  return result.kind === 'removed'
    ? endedInError(context, message, { node_uuid: null, power_state: 0 })
    : result;
}

/** Nothing stays behind of a server that cannot be built; then it is in error, and says why. */
const failed = (context: StepContext, message: string): StepResult =>
  goOn(context, { failure: message });

async function findNode(context: StepContext): Promise<StepResult> {
  const { server, placement, allocations, callContext } = context;
  if (server.node_uuid !== null && placement.allocation === null)
    return failed(context, `Instance ${server.uuid} has lost its node.`);
  if (placement.allocation?.state === 'error') return failed(context, NO_VALID_HOST);
  if (placement.allocation !== null) return WAIT;
  const refusal = await refusalOf(() =>
    allocations.request(server, server.candidate_filter, callContext),
  );
  return refusal === undefined ? WAIT : failed(context, notProvisioned(context, refusal));
}

async function onNode(context: StepContext, node: PlacedNode): Promise<StepResult> {
  const { server, now } = context;
  if (server.node_uuid !== node.uuid)
    return goOn(context, {}, { node_uuid: node.uuid, task_state: 'spawning' });
  if (isActive(node))
    return ended({
      vm_state: 'active',
      power_state: powerStateOf(node.power_state),
      launched_at: timestampOf(now),
      fault: null,
    });
  if (hasFailed(node))
    return failed(context, notProvisioned(context, 'the deployment of its node failed.'));
  return node.provision_state === 'available' && !node.reserved ? deploy(context, node) : WAIT;
}

const notProvisioned = ({ server }: StepContext, why: string): string =>
  `Failed to provision instance ${server.uuid}: ${why}`;

async function deploy(context: StepContext, node: PlacedNode): Promise<StepResult> {
  const { server, store, nodes, callContext } = context;
  const vif = missingVif(context, node);
  if (vif !== undefined) {
    const refusal = await refusalOf(() =>
      nodes.attach(node, { id: vif, project: server.project_id }, callContext),
    );
    return refusal === undefined ? AGAIN : failed(context, notProvisioned(context, refusal));
  }
  await store.writeInstance(server.uuid, instanceInfoOf(context, node), callContext);
  const order = { target: 'active', configdrive: configDriveOf(server) } as const;
  const refusal = await refusalOf(() => nodes.provision(node, order, callContext));
  return refusal === undefined ? WAIT : failed(context, notProvisioned(context, refusal));
}

/** The first VIF that is still to be attached; undefined when all are. */
const missingVif = ({ server }: StepContext, node: PlacedNode): string | undefined =>
  server.vifs.find((id) => node.vifs.every((attached) => attached.id !== id));
