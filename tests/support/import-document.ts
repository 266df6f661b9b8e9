import { claimsOf, contextKey, sign } from './signed-context.js';
import { type Tenure } from './tenure.js';

/** In the order in which `tenure import` loads them, as many rows at a time. */
const SECTIONS = [
  'chassis',
  'nodes',
  'ports',
  'portgroups',
  'volume_connectors',
  'volume_targets',
  'allocations',
  'leases',
  'deploy_templates',
  'claims',
  'node_documents',
  'node_history',
  'quotas',
] as const;
const ROWS = 500;

type Into = Pick<Tenure, 'dataDir' | 'ports'>;

/** Loads an inventory document as `tenure import` does, without a process of its own for each. */
export async function importInto(tenure: Into, document: object): Promise<void> {
  const sections = new Map<string, readonly unknown[]>(Object.entries(document));
  const unknown = [...sections.keys()].filter(
    (name) => !(SECTIONS as readonly string[]).includes(name),
  );
  if (unknown.length > 0) throw new Error(`import: unknown sections ${unknown.join(', ')}`);
  for (const section of SECTIONS) {
    const rows = sections.get(section) ?? [];
    for (let from = 0; from < rows.length; from += ROWS)
      await post(tenure, JSON.stringify({ [section]: rows.slice(from, from + ROWS) }));
  }
}

async function post(tenure: Into, body: string): Promise<void> {
  const target = '/internal/import';
  const claims = {
    ...claimsOf({ caller: 'cli', audience: 'inventory', method: 'POST', target, body }),
    subject: null,
    action: 'tenure:inventory:operate',
  };
  const response = await fetch(`http://127.0.0.1:${tenure.ports.inventory}${target}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Tenure-Context': sign(claims, contextKey(tenure, 'cli', 'inventory')),
    },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`import: ${response.status} ${text}`);
}
