export const OFF = { power_state: 'power off' };
export const ON = { power_state: 'power on' };
export const MANAGEABLE = { provision_state: 'manageable', ...OFF };
export const AVAILABLE = { provision_state: 'available', ...OFF };
export const ACTIVE = { provision_state: 'active', ...ON };
