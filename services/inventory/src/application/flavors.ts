import { type NodeRecord, type PolicyFilter } from '@tenure/contracts';
import { allowedNodes } from '../domain/candidates.js';
import { type Condition, type Projected, type RecordPage } from '../ports/record-store.js';
import { type Stores } from '../ports/stores.js';

interface Flavor {
  readonly resource_class: string;
  /** Traits that at least one of its nodes has. */
  readonly traits: readonly string[];
  readonly vcpus: number;
  /** MiB. */
  readonly ram: number;
  /** GiB. */
  readonly disk: number;
}

const PAGE = 1000;

const FLAVOR_FIELDS = ['resource_class', 'traits', 'properties'] as const;

type NodesOfFilter = Pick<Stores, 'nodes'>;

/**
 * The kinds of machine among the nodes of a filter, by name: their resource classes.
 * @param only this class alone
 */
export async function flavorsOf(
  stores: NodesOfFilter,
  filter: PolicyFilter,
  only: string | undefined,
): Promise<readonly Flavor[]> {
  const found = new Map<string, Flavor>();
  for await (const node of classedNodes(stores, filter, only)) {
    if (typeof node.resource_class !== 'string') continue;
    const flavor = flavorOfNode(node, node.resource_class);
    const existing = found.get(flavor.resource_class);
    found.set(flavor.resource_class, existing === undefined ? flavor : joined(existing, flavor));
  }
  return [...found.values()].toSorted((one, other) =>
    one.resource_class < other.resource_class ? -1 : 1,
  );
}

/** Nodes that have a class and that the filter's servers may take, page by page. */
async function* classedNodes(
  { nodes }: NodesOfFilter,
  filter: PolicyFilter,
  only: string | undefined,
): AsyncGenerator<Projected<NodeRecord>> {
  const allowed = allowedNodes(filter);
  const where: readonly Condition[] = [
    only === undefined
      ? { field: 'resource_class', op: 'not_null' }
      : { field: 'resource_class', op: 'eq', value: only },
    ...allowed.where,
  ];
  const { anyOf } = allowed;
  const order = { field: null, descending: false };
  let after: { readonly uuid: string; readonly value: null } | null = null;
  do {
    const query = { anyOf, where, order, after, limit: PAGE, fields: FLAVOR_FIELDS };
    const { rows, more }: RecordPage<NodeRecord> = await nodes.page(query);
    yield* rows;
    const last = rows.at(-1);
    after = last === undefined || !more ? null : { uuid: last.uuid, value: null };
  } while (after !== null);
}

const flavorOfNode = (node: Projected<NodeRecord>, resource_class: string): Flavor => ({
  resource_class,
  traits: node.traits ?? [],
  vcpus: wholeNumber(node.properties, 'cpus'),
  ram: wholeNumber(node.properties, 'memory_mb'),
  disk: wholeNumber(node.properties, 'local_gb'),
});

const joined = (one: Flavor, other: Flavor): Flavor => ({
  resource_class: one.resource_class,
  traits: [...new Set([...one.traits, ...other.traits])].toSorted(),
  vcpus: smaller(one.vcpus, other.vcpus),
  ram: smaller(one.ram, other.ram),
  disk: smaller(one.disk, other.disk),
});

function wholeNumber(properties: unknown, name: string): number {
  const value = Number((properties as Readonly<Record<string, unknown>> | null)?.[name] ?? 0); // an object or null on every node
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** The smaller value: every node of the flavor has at least that. */
const smaller = (one: number, other: number): number =>
  one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other);
