import { randomUUID } from 'node:crypto';
import { ask } from './http-client.js';
import { systemAdmin } from './personas.js';
import { type Tenure } from './tenure.js';
import { eventually } from './wait.js';

/** A node of an inventory document. */
export interface FleetNode extends Readonly<Record<string, unknown>> {
  readonly uuid: string;
  readonly name: string;
}

/** A node that can be used at once: fake hardware, available, switched off. */
export function availableNode(
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
): FleetNode {
  return {
    uuid: randomUUID(),
    name,
    driver: 'fake-hardware',
    provision_state: 'available',
    power_state: 'power off',
    resource_class: 'baremetal',
    owner: null,
    lessee: null,
    ...fields,
  };
}

/** The node, once it is in the inventory. */
export async function imported(tenure: Tenure, node: FleetNode): Promise<FleetNode> {
  await tenure.importDocument({ nodes: [node] });
  return node;
}

/** A node as the system's administrator sees it. */
export async function nodeOf(
  tenure: Tenure,
  ident: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await ask(tenure, systemAdmin, `GET /v1/nodes/${ident}`);
  if (answer.status !== 200)
    throw new Error(`GET of node ${ident}: ${answer.status} ${answer.text}`);
  return answer.json as Readonly<Record<string, unknown>>;
}

/** Waits until no power command is under way on a node; the node as it is then. */
export function stableNode(
  tenure: Tenure,
  ident: string,
  within = 20_000,
): Promise<Readonly<Record<string, unknown>>> {
  return eventually(
    () => nodeOf(tenure, ident),
    (node) => node['reservation'] === null && node['target_power_state'] === null,
    { within, what: `stable node ${ident}` },
  );
}
