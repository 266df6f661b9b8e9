import { type WaitLimits } from './application/overdue-watch.js';
import { POWER_LIMITS, type PowerLimits } from './application/power-execution.js';
import { POWER_SYNC_LIMITS, type PowerSyncLimits } from './application/power-sync.js';
import { type ConductorConfig } from './config.js';

/** Limits of power commands. */
export const powerLimitsOf = ({ powerChangeSeconds }: ConductorConfig): PowerLimits => ({
  ...POWER_LIMITS,
  changeMs: powerChangeSeconds * 1000,
});

/** Limits and rhythm of the power sync. */
export const syncLimitsOf = (config: ConductorConfig): PowerSyncLimits => ({
  ...POWER_SYNC_LIMITS,
  workers: config.powerSyncWorkers,
  roundMs: config.powerSyncSeconds * 1000,
  maxRetries: config.powerSyncMaxRetries,
  recoveryMs: config.powerFailureRecoverySeconds * 1000,
  force: config.forcePowerState,
});

/** How long orders are worked on, and agents waited for. */
export const waitLimitsOf = (config: ConductorConfig): WaitLimits => ({
  orderMs: limitOf(config.orderTimeoutSeconds),
  waitMs: {
    'wait call-back': limitOf(config.deployCallbackTimeoutSeconds),
    'clean wait': limitOf(config.cleanCallbackTimeoutSeconds),
    'inspect wait': limitOf(config.inspectWaitTimeoutSeconds),
    'rescue wait': limitOf(config.rescueCallbackTimeoutSeconds),
    'service wait': limitOf(config.serviceCallbackTimeoutSeconds),
  },
});

/** Milliseconds; 0 seconds are no limit, as in Ironic. */
const limitOf = (seconds: number): number => (seconds === 0 ? Infinity : seconds * 1000);
