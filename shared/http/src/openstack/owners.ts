import { Type } from '@sinclair/typebox';
import { api, matches, UnavailableError, withoutTrailing } from '@tenure/contracts';
import { type ConfigOf, ConfigError, inTime, type ObserveDependency } from '@tenure/process';
import { credentialOf, type KEYSTONE_VARIABLES, keystoneProblems } from './credential.js';
import { createJsonHttp, type JsonAnswer, type JsonHttp } from './json-http.js';
import { createServiceSession, type ServiceSession } from './service-session.js';
import { createSessionAsk } from './session-ask.js';

/** A service that resolves its resources to their projects. */
export interface ResourceOwners {
  /**
   * The project that a resource belongs to; undefined when there is no such resource.
   * @throws UnavailableError when the service gave no answer in time that can be relied on
   */
  readonly projectOf: (id: string) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** How a service returns the project of a resource. */
interface Form {
  /** For errors and metrics, such as `Neutron`. */
  readonly service: string;
  /** Names the service in errors for callers. */
  readonly label: string;
  /** Added to a base URL that does not say the version. */
  readonly version: string;
  readonly pathOf: (id: string) => string;
  /** Id and project in a good answer; undefined when they are not there. */
  readonly read: (json: unknown) => { readonly id: string; readonly project: string } | undefined;
}

const Project = Type.String({ minLength: 1, maxLength: 255 });

const Port = Type.Object({ port: Type.Object({ id: api.Uuid, project_id: Project }) });
const Volume = Type.Object({
  volume: Type.Object({ id: api.Uuid, 'os-vol-tenant-attr:tenant_id': Project }),
});

/** Neutron's ports. */
export const NEUTRON: Form = {
  service: 'Neutron',
  label: 'network',
  version: '/v2.0',
  pathOf: (id) => `/ports/${encodeURIComponent(id)}?fields=id&fields=project_id`,
  read: (json) =>
    matches(Port, json) ? { id: json.port.id, project: json.port.project_id } : undefined,
};

/** Cinder's volumes, whose projects it returns to administrators. */
export const CINDER: Form = {
  service: 'Cinder',
  label: 'block storage',
  version: '/v3',
  pathOf: (id) => `/volumes/${encodeURIComponent(id)}`,
  read: (json) =>
    matches(Volume, json)
      ? { id: json.volume.id, project: json.volume['os-vol-tenant-attr:tenant_id'] }
      : undefined,
};

export interface OwnersOptions {
  readonly form: Form;
  /** Calls to the service, its version in their base. */
  readonly http: JsonHttp;
  readonly session: ServiceSession;
  /** Milliseconds for a question, logging in included. */
  readonly deadlineMs: number;
}

export interface OpenOwners {
  readonly form: Form;
  /** Empty: the service is not called. */
  readonly url: string;
  /** The variable with that address. */
  readonly env: string;
  readonly config: ConfigOf<typeof KEYSTONE_VARIABLES> & { readonly openstackDeadlineMs: number };
  readonly observe?: ObserveDependency | undefined;
}

/** The variable for the deadline of questions to services of OpenStack. */
export const OPENSTACK_DEADLINE = {
  env: 'OPENSTACK_DEADLINE_MS',
  schema: Type.Integer({ minimum: 1, maximum: 10_000 }),
  fallback: 3000,
  about: 'milliseconds for one question to a service of OpenStack, logging in included',
} as const;

/** An address of a service of OpenStack. */
export const OpenStackUrl = Type.String({
  pattern: '^https?://[^?#@\\s]+$',
  description: 'an http or https URL',
});

/** Resolves the projects of an OpenStack service's resources, with the tokens of our own user. */
export function createResourceOwners({
  form,
  http,
  session,
  deadlineMs,
}: OwnersOptions): ResourceOwners {
  const ask = createSessionAsk(http, session);
  return {
    projectOf: async (id) => {
      // These services identify resources by UUIDs only; nothing else reaches their paths.
      const isUuid: boolean = matches(api.Uuid, id);
      if (!isUuid) return undefined;
      try {
        const answer = await inTime(deadlineMs, ask(form.pathOf(id)), () => {
          throw new Error(`${form.service} did not answer in time`);
        });
        return projectIn(form, answer, id);
      } catch (error) {
        throw new UnavailableError(`The ${form.label} service is temporarily unavailable.`, {
          cause: error,
          headers: { 'Retry-After': '1' },
        });
      }
    },
    close: http.close,
  };
}

/**
 * The service as it is configured; undefined where it is not.
 * @throws ConfigError when the credential at Keystone is missing; Error when a file with a secret cannot be read
 */
export function openResourceOwners({
  form,
  url,
  env,
  config,
  observe,
}: OpenOwners): ResourceOwners | undefined {
  if (url === '') return undefined;
  const problems = [
    ...keystoneProblems(config),
    ...(config.keystoneUrl === '' ? [`${env} needs KEYSTONE_URL, where this part logs in`] : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  const deadlineMs = config.openstackDeadlineMs;
  const keystone = createJsonHttp({
    service: 'Keystone',
    baseUrl: config.keystoneUrl.replace(/\/$/u, ''),
    deadlineMs,
    observe,
  });
  credentialOf(config); // what cannot be read is refused at the start, and not at the first login
  const session = createServiceSession(keystone, () => credentialOf(config));
  const http = createJsonHttp({
    service: form.service,
    baseUrl: versioned(url, form.version),
    deadlineMs,
    observe,
  });
  const owners = createResourceOwners({ form, http, session, deadlineMs });
  return {
    projectOf: owners.projectOf,
    close: async () => {
      await Promise.all([owners.close(), keystone.close()]);
    },
  };
}

function projectIn(
  { service, read }: Form,
  { status, json }: JsonAnswer,
  id: string,
): string | undefined {
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`${service} answered ${String(status)}`);
  const found = read(json);
  if (found === undefined) throw new Error(`the answer of ${service} does not say whose it is`);
  if (found.id.toLowerCase() !== id.toLowerCase())
    throw new Error(`the answer of ${service} is about another resource`);
  return found.project;
}

/** A base URL with the version of the API, which it may say already. */
function versioned(url: string, version: string): string {
  const base = withoutTrailing(url, '/');
  return new RegExp(`${version.replace('.', '\\.')}(?:/|$)`, 'u').test(new URL(base).pathname)
    ? base
    : `${base}${version}`;
}
