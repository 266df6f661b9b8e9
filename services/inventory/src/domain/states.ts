/** Provision states of Ironic's state machine, as they are spelt on the wire. */
export const PROVISION_STATES: ReadonlySet<string> = new Set([
  'enroll',
  'verifying',
  'manageable',
  'available',
  'active',
  'deploying',
  'wait call-back',
  'deploy complete',
  'deploy failed',
  'deploy hold',
  'deleting',
  'deleted',
  'cleaning',
  'clean wait',
  'clean failed',
  'clean hold',
  'error',
  'rebuild',
  'inspecting',
  'inspect wait',
  'inspect failed',
  'adopting',
  'adopt failed',
  'rescue',
  'rescuing',
  'rescue wait',
  'rescue failed',
  'unrescuing',
  'unrescue failed',
  'servicing',
  'service wait',
  'service failed',
  'service hold',
]);

/** States in which a node may be deleted; in maintenance it may be in any. */
export const DELETE_STATES = [
  'available',
  'enroll',
  'manageable',
  'adopt failed',
  'inspect failed',
] as const;

/** States in which driver, interfaces and resource class may change; in maintenance, in any. */
export const HARDWARE_CHANGE_STATES = [
  'enroll',
  'inspecting',
  'inspect wait',
  'inspect failed',
  'manageable',
  'available',
] as const;
