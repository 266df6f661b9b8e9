import { type Answer, ask } from './http-client.js';
import { type Persona } from './personas.js';
import { type Tenure } from './tenure.js';
import { eventually } from './wait.js';

const NOVA_LATEST = '2.93';

export type Members = Readonly<Record<string, unknown>>;

export const IMAGE = 'http://images.example/boot.iso';

/** One request of the compute API, at its newest version unless another is named. */
export const askNova = (
  tenure: Tenure,
  persona: Persona | null,
  line: string,
  { body, version = NOVA_LATEST }: { readonly body?: unknown; readonly version?: string } = {},
): Promise<Answer> =>
  ask(tenure, persona, line, {
    ...(body !== undefined && { body }),
    headers: { 'OpenStack-API-Version': `compute ${version}` },
  });

/** A server as in an answer. */
export function serverIn({ json, status, text }: Answer): Members {
  const server = (json as { readonly server?: Members } | null)?.server;
  if (server === undefined) throw new Error(`no server in ${String(status)} ${text}`);
  return server;
}

/** The sentence of Nova's error body. */
export function novaFault({ json }: Answer): string {
  const [fault] = Object.values((json ?? {}) as Record<string, { readonly message?: string }>);
  return fault?.message ?? '';
}

/** Asks for a server; its id. */
export async function createServer(
  tenure: Tenure,
  persona: Persona,
  server: Members,
): Promise<string> {
  const answer = await askNova(tenure, persona, 'POST /v2.1/servers', {
    body: { server: { imageRef: IMAGE, networks: 'none', ...server } },
  });
  if (answer.status !== 202) throw new Error(`create: ${String(answer.status)} ${answer.text}`);
  return String(serverIn(answer)['id']);
}

export const act = (tenure: Tenure, persona: Persona, id: string, body: Members): Promise<Answer> =>
  askNova(tenure, persona, `POST /v2.1/servers/${id}/action`, { body });

/** Waits until nothing is done with the server any more; the server as it is then. */
export const stableServer = (
  tenure: Tenure,
  persona: Persona,
  id: string,
  within = 40_000,
): Promise<Members> =>
  eventually(
    async () => serverIn(await askNova(tenure, persona, `GET /v2.1/servers/${id}`)),
    (server) => server['OS-EXT-STS:task_state'] === null,
    { within, what: `stable server ${id}` },
  );

/** Waits until the server is no more. */
export const deletedServer = (
  tenure: Tenure,
  persona: Persona,
  id: string,
  within = 40_000,
): Promise<Answer> =>
  eventually(
    () => askNova(tenure, persona, `GET /v2.1/servers/${id}`),
    ({ status }) => status === 404,
    { within, what: `deletion of server ${id}` },
  );
