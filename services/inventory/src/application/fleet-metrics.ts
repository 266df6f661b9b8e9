import { Gauge, type Logger, type Registry } from '@tenure/process';
import { isDeregistered, isLive } from '../domain/conductors.js';
import { type Stores } from '../ports/stores.js';
import { allWhere } from './all-where.js';

/** Milliseconds for which a count is cached, so that several scrapes do not count the fleet several times. */
const KEEP_MS = 10_000;
/**
 * Milliseconds after which a cached count is dropped when the fleet cannot be counted: other replicas may have a newer
 * one.
 */
const FORGET_MS = 60_000;

type Counted = Readonly<Record<string, number>>;

/** Counts on a scrape, unless the count is still cached. When counting fails, the last count is returned for a while. */
export function counted(
  count: () => Promise<Counted>,
  logger: Pick<Logger, 'debug'>,
  clock: () => number = () => performance.now(),
): () => Promise<Counted> {
  let last: Counted = {};
  let countedAt = -Infinity;
  let until = -Infinity;
  return async () => {
    const now = clock();
    if (now < until) return last;
    until = now + KEEP_MS;
    try {
      last = await count();
      countedAt = now;
    } catch (error) {
      if (now - countedAt > FORGET_MS) last = {};
      logger.debug({ err: error }, 'the fleet could not be counted');
    }
    return last;
  };
}

/** A gauge with one label, whose values are computed when it is scraped. */
export function gauge(
  registry: Registry,
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
  count: () => Promise<Counted>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const values = await count();
      this.reset();
      for (const [value, number] of Object.entries(values)) this.set({ [label]: value }, number);
    },
  });
}

/** Gauges of the fleet's records, counted on a scrape. Their labels are states of state machines, so there are few. */
export function measureFleet(
  registry: Registry,
  stores: Stores,
  now: () => Date,
  logger: Logger,
): void {
  gauge(
    registry,
    {
      name: 'tenure_inventory_nodes',
      help: 'Stored nodes, by provision state.',
      label: 'provision_state',
    },
    counted(() => byField(stores.nodes, 'provision_state'), logger),
  );
  gauge(
    registry,
    {
      name: 'tenure_inventory_leases',
      help: 'Stored leases, by status.',
      label: 'status',
    },
    counted(() => byField(stores.leases, 'status'), logger),
  );
  gauge(
    registry,
    {
      name: 'tenure_inventory_handovers',
      help: 'Recorded handovers, by status: open, failed (open, and a step failed) or complete.',
      label: 'status',
    },
    counted(() => byField(stores.handovers, 'status'), logger),
  );
  gauge(
    registry,
    {
      name: 'tenure_inventory_allocations',
      help: 'Stored allocations, by state.',
      label: 'state',
    },
    counted(() => byField(stores.allocations, 'state'), logger),
  );
  gauge(
    registry,
    {
      name: 'tenure_inventory_conductors',
      help: 'Registered conductors: alive (heartbeat in time), left (deregistered) or expired (no heartbeat in time).',
      label: 'state',
    },
    counted(async () => {
      const all = await stores.conductors.list(allWhere());
      const alive = all.filter((one) => isLive(one, now())).length;
      const left = all.filter((one) => isDeregistered(one)).length;
      return { alive, left, expired: all.length - alive - left };
    }, logger),
  );
}

async function byField(store: Pick<Stores['nodes'], 'countBy'>, field: string): Promise<Counted> {
  const counts = await store.countBy(field);
  return Object.fromEntries(counts.map(({ value, count }) => [value ?? 'none', count]));
}
