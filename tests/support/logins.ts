import { type KeystoneUser } from './keystone.js';
import { type Persona } from './personas.js';
import { type Tenure } from './tenure.js';

/** How a client authenticates: the variables of the command line, and as the arguments of an openstacksdk connection. */
export interface Login {
  readonly environment: Readonly<Record<string, string>>;
  readonly connection: Readonly<Record<string, unknown>>;
}

/** With a development token. */
export async function tokenLogin(tenure: Tenure, persona: Persona): Promise<Login> {
  const token = await tenure.token(persona);
  return {
    environment: { OS_AUTH_TYPE: 'admin_token', OS_TOKEN: token, OS_ENDPOINT: tenure.url },
    connection: {
      auth_type: 'admin_token',
      auth: { endpoint: tenure.url, token },
      ...overrides(tenure),
    },
  };
}

/** With name and password at the gateway itself. */
export const basicLogin = (tenure: Tenure, username: string, password: string): Login => ({
  environment: {
    OS_AUTH_TYPE: 'http_basic',
    OS_ENDPOINT: tenure.url,
    OS_USERNAME: username,
    OS_PASSWORD: password,
  },
  connection: {
    auth_type: 'http_basic',
    auth: { endpoint: tenure.url, username, password },
    ...overrides(tenure),
  },
});

/** With name and password at a Keystone, whose catalog has the address of the gateway. */
export function keystoneLogin(url: string, { name, password, scope }: KeystoneUser): Login {
  const scoped =
    scope !== null && 'project' in scope
      ? { project_id: scope.project.id }
      : { system_scope: 'all' };
  const auth = {
    auth_url: url,
    username: name,
    password,
    user_domain_id: 'default',
    ...scoped,
  };
  return {
    environment: {
      OS_IDENTITY_API_VERSION: '3',
      ...Object.fromEntries(
        Object.entries(auth).map(([key, value]) => [`OS_${key.toUpperCase()}`, value]),
      ),
    },
    connection: { auth_type: 'v3password', auth, region_name: 'RegionOne' },
  };
}

const overrides = ({ url }: Tenure): Readonly<Record<string, string>> => ({
  baremetal_endpoint_override: url,
  baremetal_introspection_endpoint_override: url,
  compute_endpoint_override: `${url}/v2.1`,
  region_name: 'RegionOne',
});
