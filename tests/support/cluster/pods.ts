import { type Claims, claimsOf, contextKey, sign } from '../signed-context.js';
import { type Part } from '../tenure.js';
import { type Cluster } from './cluster.js';

interface Order {
  readonly caller: 'gateway' | 'conductor';
  /** `'GET /v1/nodes'`. */
  readonly line: string;
  readonly body?: unknown;
  /** Claims of the context that differ from the defaults. */
  readonly claims?: Claims;
}

/** The replicas of a part, each called directly, without the Service in front of them. */
export const replicasOf = (cluster: Cluster, part: Part): readonly number[] =>
  cluster.workloads[part].pods.map(({ port }) => port);

/** The n-th of several, round robin. */
export function roundRobin<T>(all: readonly T[], n: number): T {
  const one = all[n % all.length];
  if (one === undefined) throw new Error('the list is empty');
  return one;
}

/** The cluster as it is seen through one of its gateways. */
export const throughGateway = (cluster: Cluster, n: number): Cluster => ({
  ...cluster,
  url: `http://127.0.0.1:${String(roundRobin(replicasOf(cluster, 'gateway'), n))}`,
});

/** Sends a request of another part to an inventory. */
export async function askInventory(
  cluster: Cluster,
  port: number,
  { caller, line, body, claims }: Order,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const [method = '', target = ''] = line.split(' ');
  const text = body === undefined ? '' : JSON.stringify(body);
  const statement = claimsOf({ caller, audience: 'inventory', method, target, body: text });
  const response = await fetch(`http://127.0.0.1:${String(port)}${target}`, {
    method,
    headers: {
      'X-Tenure-Context': sign(
        { ...statement, ...claims },
        contextKey(cluster, caller, 'inventory'),
      ),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    signal: AbortSignal.timeout(10_000),
    ...(body !== undefined && { body: text }),
  });
  return { status: response.status, json: JSON.parse((await response.text()) || 'null') };
}
