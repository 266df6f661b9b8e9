import { type NodeRecord } from '@tenure/contracts';

const TYPE_OF_STATE: Readonly<Record<string, string>> = {
  verifying: 'verifying',
  deploying: 'provisioning',
  'wait call-back': 'provisioning',
  'deploy hold': 'provisioning',
  rebuild: 'provisioning',
  deleting: 'unprovisioning',
  cleaning: 'cleaning',
  'clean wait': 'cleaning',
  'clean hold': 'cleaning',
  inspecting: 'introspection',
  'inspect wait': 'introspection',
  adopting: 'adoption',
  rescuing: 'rescue',
  'rescue wait': 'rescue',
  unrescuing: 'unrescue',
  servicing: 'servicing',
  'service wait': 'servicing',
  'service hold': 'servicing',
};

/**
 * What was going on when something happened to a node; null when nothing was.
 * A power change in the course of a deployment is part of the deployment.
 */
export const eventTypeOf = ({
  provision_state: state,
  target_power_state: power,
}: NodeRecord): string | null => TYPE_OF_STATE[state] ?? (power === null ? null : 'power');
