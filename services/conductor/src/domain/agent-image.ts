import { type NodeRecord } from '@tenure/contracts';
import { DriverFailure } from './driver-failure.js';
import { isImageAddress } from './virtual-media.js';

/** The address of the ISO image with an agent that boots of the node start from; undefined when it has none. */
export function agentImageOf(node: NodeRecord): string | undefined {
  const image = node.driver_info['deploy_iso'];
  return typeof image === 'string' && isImageAddress(image) ? image : undefined;
}

/** @throws DriverFailure (`settings`) with Ironic's message when the node has no image with an agent */
export function checkedAgentImage(node: NodeRecord): string {
  const image = agentImageOf(node);
  if (image !== undefined) return image;
  throw new DriverFailure(
    'settings',
    node.driver_info['deploy_iso'] === undefined
      ? `Node ${node.uuid} failed to validate deploy image info. Some parameters were missing. Missing are: ['driver_info.deploy_iso']`
      : 'driver_info.deploy_iso must be an http or https address of an ISO image',
  );
}
