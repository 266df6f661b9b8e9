import { randomUUID } from 'node:crypto';
import { claimsOf, contextKey, sign } from './signed-context.js';
import { type Tenure } from './tenure.js';

interface Call {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly body?: string;
}

/** An active server of a project, as the compute service records it; its id. */
export async function recordedServer(
  tenure: Tenure,
  project: string,
  creator: string | null,
): Promise<string> {
  const uuid = randomUUID();
  const now = new Date().toISOString();
  const server = {
    uuid,
    name: 'of-the-table',
    description: null,
    project_id: project,
    user_id: creator,
    flavor_id: 'baremetal',
    resource_class: 'baremetal',
    traits: [],
    flavor: { vcpus: 0, ram: 0, disk: 0 },
    image_ref: 'http://images.test/a.iso',
    key_name: null,
    public_key: null,
    metadata: {},
    tags: [],
    hostname: 'of-the-table',
    availability_zone: '',
    vifs: [],
    config_drive: false,
    user_data: null,
    vm_state: 'active',
    task_state: null,
    status: 'ACTIVE',
    power_state: 1,
    node_uuid: null,
    locked_by: null,
    locked_reason: null,
    fault: null,
    task: null,
    candidate_filter: { mode: 'none', predicates: [] },
    launched_at: null,
    created_at: now,
    updated_at: now,
  };
  await asCompute(tenure, {
    method: 'POST',
    target: '/internal/servers',
    body: JSON.stringify(server),
  });
  return uuid;
}

/** Grows with every write of a server. */
export async function revisionOf(tenure: Tenure, uuid: string): Promise<number> {
  const record = await asCompute(tenure, { method: 'GET', target: `/internal/servers/${uuid}` });
  return (record as { readonly revision: number }).revision; // a ServerRecord
}

/** The inventory's answer to a call of the compute service. */
async function asCompute(tenure: Tenure, { method, target, body }: Call): Promise<unknown> {
  const claims = claimsOf({
    caller: 'compute',
    audience: 'inventory',
    method,
    target,
    ...(body !== undefined && { body }),
  });
  const response = await fetch(`http://127.0.0.1:${String(tenure.ports.inventory)}${target}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-tenure-context': sign(claims, contextKey(tenure, 'compute', 'inventory')),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok)
    throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
  return response.json();
}
