import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The metrics registry of one process, with Node's own metrics in it. */
export const createRegistry = (part: string): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ part });
  collectDefaultMetrics({ register: registry });
  return registry;
};
