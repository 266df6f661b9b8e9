import { Gauge, type Logger, type Registry } from '@tenure/process';
import { isDeregistered, isLive } from '../domain/conductors.js';
import { type Stores } from '../ports/stores.js';
import { allWhere } from './all-where.js';

/** Milliseconds that a count is told again: several scrapes at a time must not count the fleet several times. */
const KEEP_MS = 10_000;
/** Milliseconds after which it is told no more, when it cannot be counted: others may know better. */
const FORGET_MS = 60_000;

type Counted = Readonly<Record<string, number>>;

/** Counts when asked, not more often than that; what cannot be counted now is told for a while as it was counted last. */
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

/** What the records say of the fleet, counted when it is scraped. The states are those of state machines, so labels are few. */
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
      help: 'Nodes on record, by provision state.',
      label: 'provision_state',
    },
    counted(() => byField(stores.nodes, 'provision_state'), logger),
  );
  gauge(
    registry,
    {
      name: 'tenure_inventory_leases',
      help: 'Leases on record, by status.',
      label: 'status',
    },
    counted(() => byField(stores.leases, 'status'), logger),
  );
  gauge(
    registry,
    {
      name: 'tenure_inventory_handovers',
      help: 'Handovers recorded, by status: open, failed (open, and a step failed) or complete.',
      label: 'status',
    },
    counted(() => byField(stores.handovers, 'status'), logger),
  );
  gauge(
    registry,
    {
      name: 'tenure_inventory_allocations',
      help: 'Allocations on record, by state.',
      label: 'state',
    },
    counted(() => byField(stores.allocations, 'state'), logger),
  );
  gauge(
    registry,
    {
      name: 'tenure_inventory_conductors',
      help: 'Conductors on record: alive (they report in time), left (they said goodbye) or gone (neither).',
      label: 'state',
    },
    counted(async () => {
      const all = await stores.conductors.list(allWhere());
      const alive = all.filter((one) => isLive(one, now())).length;
      const left = all.filter((one) => isDeregistered(one)).length;
      return { alive, left, gone: all.length - alive - left };
    }, logger),
  );
}

async function byField(store: Pick<Stores['nodes'], 'countBy'>, field: string): Promise<Counted> {
  const counts = await store.countBy(field);
  return Object.fromEntries(counts.map(({ value, count }) => [value ?? 'none', count]));
}
