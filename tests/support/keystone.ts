import {
  adminPassword,
  type KeystoneProcess,
  startKeystoneProcess,
  type TokenProvider,
} from './keystone-process.js';

type Json = Readonly<Record<string, unknown>>;

/** The scope of a token. */
type KeystoneScope =
  | { readonly project: { readonly id: string } }
  | { readonly system: { readonly all: true } }
  | null;

/** A user with a password, and the scope that the user logs in to. */
export interface KeystoneUser {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly scope: KeystoneScope;
}

interface Call {
  readonly token: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A Keystone with people in it. */
export interface TestKeystone {
  readonly process: KeystoneProcess;
  readonly url: string;
  /** The environment by which a service of Tenure uses it. */
  readonly settings: Readonly<Record<string, string>>;
  /** The project `service`. */
  readonly serviceProject: string;
  /** Makes it issue tokens of this kind, by a restart if it did not; those of the other kind it no longer takes. */
  issue(provider: TokenProvider): Promise<void>;
  /** A new token, by name and password. */
  login(user: KeystoneUser): Promise<string>;
  /** A new token, by an application credential. */
  loginWithCredential(id: string, secret: string): Promise<string>;
  /** Revokes a token, as whose it is. */
  revoke(token: string): Promise<void>;
  /** One call as the administrator, or whose the token is; throws when it is refused. */
  call(call: Partial<Call> & Pick<Call, 'path'>): Promise<Json>;
  user(name: string, scope: KeystoneScope, ...roles: string[]): Promise<KeystoneUser>;
  project(name: string): Promise<string>;
  /** Puts the gateway into the catalog. */
  register(gatewayUrl: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a Keystone whose service project holds the user `gateway`, with role `service`. */
export async function startKeystone(provider: TokenProvider): Promise<TestKeystone> {
  const process = await startKeystoneProcess(provider);
  const { url } = process;
  let admin = await loginAsAdministrator(url);
  let issued = provider;
  const call: TestKeystone['call'] = async (request) =>
    (await send(url, { token: admin, ...request })).json;

  const people = peopleBy(call);
  // The template does not know on which port this one listens.
  for (const { id } of (await call({ path: '/endpoints' }))['endpoints'] as { id: string }[])
    await call({ method: 'PATCH', path: `/endpoints/${id}`, body: { endpoint: { url } } });
  const serviceProject = await people.project('service');
  const gateway = await people.user('gateway', { project: { id: serviceProject } }, 'service');
  return {
    process,
    url,
    serviceProject,
    settings: {
      KEYSTONE_URL: url,
      KEYSTONE_USERNAME: gateway.name,
      KEYSTONE_PASSWORD: gateway.password,
      KEYSTONE_USER_DOMAIN_ID: 'default',
      KEYSTONE_PROJECT_NAME: 'service',
      KEYSTONE_PROJECT_DOMAIN_ID: 'default',
      KEYSTONE_JWS_KEYS_DIR: process.jwsKeysDir,
    },
    issue: async (kind) => {
      if (kind === issued) return;
      await process.restart(kind);
      issued = kind;
      admin = await loginAsAdministrator(url);
    },
    ...sessionsBy(url, call),
    call,
    ...people,
    register: registerBy(call),
    stop: () => process.stop(),
  };
}

const loginAsAdministrator = (url: string): Promise<string> =>
  tokenFor(
    url,
    passwordAuth(
      { name: 'admin', domain: { id: 'default' }, password: adminPassword },
      { system: { all: true } },
    ),
  );

async function send(
  url: string,
  { token, method = 'GET', path, body, headers }: Call,
): Promise<{ json: Json; subject: string }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token === '' ? {} : { 'X-Auth-Token': token }),
      'Content-Type': 'application/json',
      ...headers,
    },
    signal: AbortSignal.timeout(20_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return {
    json: (text === '' ? {} : JSON.parse(text)) as Json,
    subject: response.headers.get('x-subject-token') ?? '',
  };
}

/** Makes projects, and users with roles. */
function peopleBy(call: TestKeystone['call']): Pick<TestKeystone, 'project' | 'user'> {
  const roles = new Map<string, string>();
  const roleId = async (name: string): Promise<string> => {
    if (roles.size === 0)
      for (const role of (await call({ path: '/roles' }))['roles'] as Json[])
        roles.set(String(role['name']), String(role['id']));
    const found = roles.get(name);
    if (found !== undefined) return found;
    const made = await call({ method: 'POST', path: '/roles', body: { role: { name } } });
    const id = String(member(made, 'role')['id']);
    roles.set(name, id);
    return id;
  };
  const project: TestKeystone['project'] = async (name) => {
    const body = { project: { name, domain_id: 'default' } };
    return String(member(await call({ method: 'POST', path: '/projects', body }), 'project')['id']);
  };
  const user: TestKeystone['user'] = async (name, scope, ...roleNames) => {
    const password = `password-of-${name}`;
    const body = { user: { name, domain_id: 'default', password } };
    const id = String(member(await call({ method: 'POST', path: '/users', body }), 'user')['id']);
    const where = scope === null || 'system' in scope ? '/system' : `/projects/${scope.project.id}`;
    for (const role of roleNames)
      await call({ method: 'PUT', path: `${where}/users/${id}/roles/${await roleId(role)}` });
    return { id, name, password, scope };
  };
  return { project, user };
}

/** The ways in which people log in and out. */
const sessionsBy = (
  url: string,
  call: TestKeystone['call'],
): Pick<TestKeystone, 'login' | 'loginWithCredential' | 'revoke'> => ({
  login: ({ id, password, scope }) => tokenFor(url, passwordAuth({ id, password }, scope)),
  loginWithCredential: (id, secret) =>
    tokenFor(url, {
      auth: {
        identity: { methods: ['application_credential'], application_credential: { id, secret } },
      },
    }),
  revoke: async (token) => {
    const headers = { 'X-Subject-Token': token };
    await call({ token, method: 'DELETE', path: '/auth/tokens', headers });
  },
});

/** Puts a gateway into the catalog. */
const registerBy =
  (call: TestKeystone['call']): TestKeystone['register'] =>
  async (gatewayUrl) => {
    const body = { service: { type: 'baremetal', name: 'tenure' } };
    const made = await call({ method: 'POST', path: '/services', body });
    for (const kind of ['public', 'internal', 'admin'])
      await call({
        method: 'POST',
        path: '/endpoints',
        body: {
          endpoint: {
            interface: kind,
            region_id: 'RegionOne',
            url: gatewayUrl,
            service_id: member(made, 'service')['id'],
          },
        },
      });
  };

async function tokenFor(url: string, body: unknown): Promise<string> {
  return (await send(url, { token: '', method: 'POST', path: '/auth/tokens', body })).subject;
}

const passwordAuth = (user: Json, scope: KeystoneScope): Json => ({
  auth: {
    identity: { methods: ['password'], password: { user } },
    ...(scope !== null && { scope }),
  },
});

const member = (value: unknown, name: string): Json => (value as Record<string, Json>)[name] ?? {}; // answers of Keystone
