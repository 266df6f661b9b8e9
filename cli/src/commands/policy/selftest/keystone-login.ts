import { Type } from '@sinclair/typebox';
import {
  KeystoneTokenBody,
  matches,
  subjectOfKeystoneToken,
  withoutTrailing,
} from '@tenure/contracts';
import {
  ConfigError,
  type ConfigOf,
  type Environment,
  loadConfig,
  type Variables,
} from '@tenure/process';
import { type Account } from './selftest.js';

const text = (env: string, about: string) =>
  ({ env, schema: Type.String({ minLength: 1 }), fallback: '', about }) as const;

/** The variables that all OpenStack clients read. */
const VARIABLES = {
  authUrl: {
    env: 'OS_AUTH_URL',
    schema: Type.String({
      pattern: '^https?://[^?#@\\s]+$',
      description: 'the http or https URL of Keystone',
    }),
    about: 'the URL of Keystone',
  },
  username: text('OS_USERNAME', 'name of the user'),
  userId: text('OS_USER_ID', 'its id, in place of the name'),
  userDomainId: text('OS_USER_DOMAIN_ID', 'its domain; default'),
  userDomainName: text('OS_USER_DOMAIN_NAME', 'its domain by name'),
  password: text('OS_PASSWORD', 'its password'),
  credentialId: text('OS_APPLICATION_CREDENTIAL_ID', 'an application credential in its place'),
  credentialSecret: text('OS_APPLICATION_CREDENTIAL_SECRET', 'its secret'),
  projectId: text('OS_PROJECT_ID', 'the project to log in to'),
  projectName: text('OS_PROJECT_NAME', 'the same by name'),
  projectDomainId: text('OS_PROJECT_DOMAIN_ID', 'its domain; default'),
  projectDomainName: text('OS_PROJECT_DOMAIN_NAME', 'its domain by name'),
  systemScope: text('OS_SYSTEM_SCOPE', 'all, in place of a project'),
} as const satisfies Variables;

type Login = ConfigOf<typeof VARIABLES>;

const DEADLINE_MS = 15_000;
const DEFAULT_DOMAIN = 'default';

/**
 * Logs in with the `OS_…` variables of an environment: the account with the roles and the scope that Keystone gives it.
 * @throws ConfigError when a variable is missing or wrong, Error when Keystone refuses the login or does not answer
 */
export async function keystoneAccount(env: Environment): Promise<Account> {
  const response = await ask(loadConfig(VARIABLES, env));
  if (response.status !== 201)
    throw new Error(`Keystone refused the login (${String(response.status)})`);
  const body: unknown = await response.json();
  if (!matches(KeystoneTokenBody, body)) throw new Error('the answer of Keystone is malformed');
  const subject = subjectOfKeystoneToken(body.token);
  const where =
    subject.system_scope === null
      ? `in project ${subject.project_name ?? 'none'}`
      : 'on the system';
  return { name: `${subject.roles.join(' and ')} ${where}`, subject: { ...subject } };
}

async function ask(login: Login): Promise<Response> {
  const body = JSON.stringify({ auth: authOf(login) });
  try {
    return await fetch(urlOf(login), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
  } catch (error) {
    throw new Error('Keystone at OS_AUTH_URL does not answer', { cause: error });
  }
}

function authOf(login: Login): object {
  const { credentialId: id, credentialSecret: secret, password, username, userId } = login;
  if (id !== '' && secret !== '')
    return {
      identity: { methods: ['application_credential'], application_credential: { id, secret } },
    };
  if (password !== '' && (username !== '' || userId !== '')) return passwordAuth(login);
  throw new ConfigError([
    'OS_USERNAME and OS_PASSWORD, or OS_APPLICATION_CREDENTIAL_ID and _SECRET, are not set',
  ]);
}

function urlOf({ authUrl }: Login): string {
  const base = withoutTrailing(authUrl, '/');
  return `${base.endsWith('/v3') ? base : `${base}/v3`}/auth/tokens?nocatalog`;
}

function passwordAuth(login: Login): object {
  const { userId, username, password } = login;
  const user =
    userId === ''
      ? { name: username, domain: domainOf(login.userDomainId, login.userDomainName) }
      : { id: userId };
  const scope = scopeOf(login);
  return {
    identity: { methods: ['password'], password: { user: { ...user, password } } },
    ...(scope !== undefined && { scope }),
  };
}

const domainOf = (id: string, name: string): object =>
  id === '' && name !== '' ? { name } : { id: id === '' ? DEFAULT_DOMAIN : id };

function scopeOf(login: Login): object | undefined {
  if (login.systemScope === 'all') return { system: { all: true } };
  if (login.projectId !== '') return { project: { id: login.projectId } };
  if (login.projectName === '') return undefined;
  const domain = domainOf(login.projectDomainId, login.projectDomainName);
  return { project: { name: login.projectName, domain } };
}
