import { availableNode, type FleetNode } from '../../support/fleet.js';
import { type TokenProvider } from '../../support/keystone-process.js';
import { type KeystoneUser, startKeystone, type TestKeystone } from '../../support/keystone.js';
import { startTenure, type Tenure } from '../../support/tenure.js';
import { eventually } from '../../support/wait.js';

/** A Tenure whose callers come from a Keystone: two projects, and a machine of the first that the second leases. */
export interface Scene {
  readonly keystone: TestKeystone;
  readonly tenure: Tenure;
  readonly projectA: string;
  readonly projectB: string;
  readonly node: FleetNode;
  readonly systemAdmin: KeystoneUser;
  readonly systemReader: KeystoneUser;
  readonly owner: KeystoneUser;
  readonly lessee: KeystoneUser;
  readonly stranger: KeystoneUser;
  readonly nova: KeystoneUser;
  stop(): Promise<void>;
}

export async function setScene(
  provider: TokenProvider,
  settings: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  const keystone = await startKeystone(provider);
  const tenure = await startTenure(`keystone-${provider}`, { ...keystone.settings, ...settings });
  await keystone.register(tenure.url);
  const [projectA, projectB, projectC] = [
    await keystone.project('project-a'),
    await keystone.project('project-b'),
    await keystone.project('project-c'),
  ];
  const inProject = (id: string): { project: { id: string } } => ({ project: { id } });
  const system = { system: { all: true } } as const;
  const node = availableNode('keystone-node', { owner: projectA, lessee: projectB });
  await tenure.importDocument({ nodes: [node] });
  return {
    keystone,
    tenure,
    projectA,
    projectB,
    node,
    systemAdmin: await keystone.user('sysadmin', system, 'admin'),
    systemReader: await keystone.user('sysreader', system, 'reader'),
    owner: await keystone.user('olga', inProject(projectA), 'member'),
    lessee: await keystone.user('lena', inProject(projectB), 'member'),
    stranger: await keystone.user('theo', inProject(projectC), 'admin'),
    nova: await keystone.user('nova', inProject(keystone.serviceProject), 'service'),
    stop: async () => {
      await tenure.stop();
      await keystone.stop();
    },
  };
}

/**
 * Makes Keystone issue tokens of this kind, which may restart it. A gateway that found it down asks it again only seconds
 * later: until then there is nothing to test.
 */
export async function issueTokens(
  provider: TokenProvider,
  { keystone, url, user }: { keystone: TestKeystone; url: string; user: KeystoneUser },
): Promise<void> {
  await keystone.issue(provider);
  await eventually(
    async () => statusOf(url, await keystone.login(user)),
    (status) => status !== 503,
    { within: 60_000, every: 500, what: 'answer after Keystone came back' },
  );
}

/** The status of one request with a token. */
export async function statusOf(
  url: string,
  token: string,
  {
    method = 'GET',
    path = '/v1/nodes',
    headers = {},
  }: {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<number> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'X-Auth-Token': token, 'X-OpenStack-Ironic-API-Version': '1.65', ...headers },
    signal: AbortSignal.timeout(15_000),
  });
  await response.arrayBuffer();
  return response.status;
}
