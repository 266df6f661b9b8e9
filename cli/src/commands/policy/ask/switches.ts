import { SWITCH_VARIABLES, type SwitchValues, switchesOf } from '@tenure/policy';
import { type Environment, loadConfig } from '@tenure/process';

/** The switches of the environment, as the decision point has them, and on top of them those of the command line. */
export function switchesFrom(env: Environment, given: SwitchValues): SwitchValues {
  const own = switchesOf(loadConfig(SWITCH_VARIABLES, env));
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(set), ...given };
}
