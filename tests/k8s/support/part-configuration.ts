import { loadGatewayConfig, VARIABLES as GATEWAY } from '../../../gateway/src/config.js';
import { ALLOCATION_VARIABLES } from '../../../services/allocation/src/config.js';
import { COMPUTE_VARIABLES } from '../../../services/compute/src/config.js';
import {
  CONDUCTOR_VARIABLES,
  loadConductorConfig,
} from '../../../services/conductor/src/config.js';
import { VARIABLES as INVENTORY } from '../../../services/inventory/src/config.js';
import { pdpVariables } from '../../../services/pdp/src/config.js';
import { checkConsole } from '../../../services/pdp/src/console/config.js';
import {
  loadConfig,
  TRACING_VARIABLES,
  type Variables,
} from '../../../shared/process/src/index.js';

type Values = Readonly<Record<string, string | undefined>>;

/** The variables that a part reads from its environment, and the reader. */
export interface PartConfiguration {
  readonly variables: Variables;
  /** @throws ConfigError */
  readonly load: (env: Values) => Readonly<Record<string, unknown>>;
}

const plain = (variables: Variables): PartConfiguration => ({
  variables,
  load: (env) => loadConfig(variables, env),
});

/** The parts' own schemas, from their sources. */
export const configurations: Readonly<Record<string, PartConfiguration>> = {
  gateway: { variables: GATEWAY, load: loadGatewayConfig },
  pdp: {
    variables: pdpVariables,
    load: (env) => {
      const config = loadConfig(pdpVariables, env);
      checkConsole(config, env);
      return config;
    },
  },
  inventory: plain(INVENTORY),
  conductor: { variables: CONDUCTOR_VARIABLES, load: loadConductorConfig },
  allocation: plain(ALLOCATION_VARIABLES),
  compute: plain(COMPUTE_VARIABLES),
};

/** What Node itself reads. */
const OF_NODE = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

/** Every name that means something to a part. */
export const namesReadBy = ({ variables }: PartConfiguration): ReadonlySet<string> =>
  new Set([
    ...[...Object.values(variables), ...Object.values(TRACING_VARIABLES)].map(({ env }) => env),
    ...OF_NODE,
  ]);
