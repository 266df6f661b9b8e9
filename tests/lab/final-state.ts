import { askLatest } from '../support/http-client.js';
import { systemAdmin } from '../support/personas.js';
import { type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';
import { decisionLogFaults, loggedDecisions } from './decision-log.js';
import { type FinalState } from './history.js';
import { type World } from './world.js';

type Row = Readonly<Record<string, unknown>>;

interface NodeListed extends Row {
  readonly reservation: unknown;
  readonly target_power_state: unknown;
  readonly provision_state: unknown;
}

export const nodesIn = async ({ cluster }: World): Promise<readonly NodeListed[]> =>
  (await listOf(cluster, 'GET /v1/nodes/detail', 'nodes')) as readonly NodeListed[]; // Ironic's members

export const handoversIn = async ({ cluster, leased }: World): Promise<readonly Row[]> =>
  (
    await Promise.all(
      leased.map(({ node }) =>
        listOf(cluster, `GET /v1/nodes/${node.uuid}/handovers`, 'handovers'),
      ),
    )
  ).flat();

export async function finalState(world: World, notReady: readonly string[]): Promise<FinalState> {
  const { cluster } = world;
  const nodes = await nodesIn(world);
  return {
    nodes: nodes.map((node) => ({
      uuid: String(node['uuid']),
      reservation: text(node.reservation),
      provisionState: String(node.provision_state),
      targetPowerState: text(node.target_power_state),
      extra: (node['extra'] ?? {}) as Row,
      allocation: text(node['allocation_uuid']),
    })),
    allocations: (await listOf(cluster, 'GET /v1/allocations', 'allocations')).map((one) => ({
      uuid: String(one['uuid']),
      state: String(one['state']),
    })),
    handovers: (await handoversIn(world)).map((one) => ({
      uuid: String(one['uuid']),
      status: String(one['status']),
    })),
    decisionLog: await decisionLogFaults(world),
    logged: await loggedDecisions(world),
    notReady,
  };
}

async function listOf(tenure: Tenure, line: string, member: string): Promise<readonly Row[]> {
  const { json } = await eventually(
    () => askLatest(tenure, systemAdmin, line),
    ({ status }) => status === 200,
    { within: 30_000, every: 500, what: line },
  );
  return (json as Readonly<Record<string, readonly Row[]>>)[member] ?? [];
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
