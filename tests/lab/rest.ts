interface Resting {
  readonly reservation: unknown;
  readonly target_power_state: unknown;
  readonly provision_state: unknown;
}

/** Whether something is being done to a node in this state. */
export const isTransient = (provisionState: string): boolean => /ing$|wait/u.test(provisionState);

/** Whether nothing is done to a node, as the API shows it. */
export const isAtRest = (node: Resting): boolean =>
  node.reservation === null &&
  node.target_power_state === null &&
  !isTransient(String(node.provision_state));
