import { ConfigError, loadConfig, TRACING_VARIABLES } from '../../../shared/process/src/index.js';
import { type Environment, type Mount } from '../support/environments.js';
import {
  configurations,
  namesReadBy,
  type PartConfiguration,
} from '../support/part-configuration.js';

type Values = Readonly<Record<string, string>>;
type Config = Readonly<Record<string, unknown>>;

const isSet = (env: Values, name: string): boolean => (env[name] ?? '') !== '';

/** Paths that the images themselves set: the default folder of files without a path of their own. */
const OF_IMAGE = { TENURE_DATA_DIR: '/var/lib/tenure' } as const;

/** Where such a default does no harm: why it is never looked at. */
const UNUSED: Readonly<Record<string, (env: Values, config: Config) => boolean>> = {
  TENURE_DEV_KEY_FILE: (_env, { devTokens }) => devTokens === false,
  TENURE_REVOCATION_FILE: (env) => isSet(env, 'REDIS_URL') || isSet(env, 'REDIS_URL_FILE'),
  TENURE_DATA_DIR: (env) => isSet(env, 'MONGODB_URI') || isSet(env, 'MONGODB_URI_FILE'),
};

/**
 * Returns the errors in the variables of one process: set twice, unknown, unusable, missing, or naming a file that is not mounted.
 */
export function environmentProblems(environment: Environment): readonly string[] {
  const configuration = configurations[environment.part];
  if (configuration === undefined) return [`${environment.where} is no part`];
  return [
    ...nameProblems(
      environment.variables.map(([name]) => name),
      configuration,
    ),
    ...(environment.isOwn
      ? loadProblems(environment, configuration)
      : valueProblems(environment, configuration)),
    ...pathProblems(environment),
  ].map((problem) => `${environment.where}: ${problem}`);
}

function nameProblems(
  names: readonly string[],
  configuration: PartConfiguration,
): readonly string[] {
  const supported = namesReadBy(configuration);
  return [
    ...[...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map(
      (name) => `${name} is set more than once`,
    ),
    ...[...new Set(names)]
      .filter((name) => !supported.has(name))
      .map((name) => `${name} is unknown to it`),
  ];
}

function loadProblems(
  environment: Environment,
  configuration: PartConfiguration,
): readonly string[] {
  const env = { ...OF_IMAGE, ...asObject(environment.variables) };
  try {
    loadConfig(TRACING_VARIABLES, env);
    return defaultProblems(environment, configuration, configuration.load(env));
  } catch (error) {
    if (error instanceof ConfigError)
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
    throw error;
  }
}

/** A helper needs its part's variables only as far as it is given any: only their values can be wrong. */
function valueProblems(
  environment: Environment,
  { variables }: PartConfiguration,
): readonly string[] {
  const env = asObject(environment.variables);
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, variable]) => isSet(env, variable.env)),
  );
  return loadProblems(environment, { variables: given, load: () => loadConfig(given, env) });
}

const pathProblems = ({ variables, mounts }: Environment): readonly string[] =>
  variables
    .filter(([name]) => isPath(name))
    .flatMap(([name, value]) =>
      pathsIn(value).map((file): readonly [string, string] => [name, file]),
    )
    .flatMap(([name, file]) => {
      const mount = mounts.find((each) => isBelow(file, each));
      if (mount === undefined) return [`${name}: nothing is mounted at ${file}`];
      const inside = file.slice(mount.path.length + 1);
      return inside === '' || mount.keys?.includes(inside) !== false
        ? []
        : [`${name}: there is no ${inside} in what is mounted at ${mount.path}`];
    });

const asObject = (variables: Environment['variables']): Values => Object.fromEntries(variables);

/** The root of a container is read-only: what is made or kept below the data directory needs a volume there. */
function defaultProblems(
  { variables, mounts }: Environment,
  configuration: PartConfiguration,
  config: Config,
): readonly string[] {
  const env = asObject(variables);
  return Object.entries(configuration.variables)
    .filter(([key, { env: name }]) => {
      const value = config[key];
      return (
        !isSet(env, name) &&
        isBelowDataDir(value) &&
        !mounts.some((mount) => isBelow(value, mount)) &&
        UNUSED[name]?.(env, config) !== true
      );
    })
    .map(([, { env: name }]) => `${name} is not set, and its default cannot be written`);
}

const isBelowDataDir = (value: unknown): value is string =>
  typeof value === 'string' && isBelow(value, { path: OF_IMAGE.TENURE_DATA_DIR });

const isBelow = (file: string, { path }: Mount): boolean =>
  file === path || file.startsWith(`${path}/`);

/** Variables whose value is a path, or a list of such, each perhaps behind `NAME=`. */
const isPath = (name: string): boolean =>
  /_(?:FILE|DIR)$/u.test(name) ||
  ['PDP_BUNDLE', 'PDP_BUNDLE_KEYS', 'TENURE_POLICY_OVERLAYS', 'NODE_EXTRA_CA_CERTS'].includes(name);

const pathsIn = (value: string): readonly string[] =>
  value
    .split(',')
    .map((item) => item.slice(item.indexOf('=') + 1).trim())
    .filter((item) => item !== '');
