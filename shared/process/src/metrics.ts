import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';

type Values<Labels extends readonly string[]> = { readonly [At in keyof Labels]: string };

/** Declares metrics on a registry, each together with what feeds it. */
export interface Meters {
  /** A counter of events. @returns counts one, by the values of the labels in their order */
  readonly counting: <const Labels extends readonly string[]>(
    name: string,
    help: string,
    ...labels: Labels
  ) => (...values: Values<Labels>) => void;
  /** A counter of amounts. @returns adds an amount, by the values of the labels in their order */
  readonly adding: <const Labels extends readonly string[]>(
    name: string,
    help: string,
    ...labels: Labels
  ) => (amount: number, ...values: Values<Labels>) => void;
  /** A gauge that is read on each scrape. */
  readonly reading: (name: string, help: string, read: () => number) => void;
}

/** The metrics registry of one process, with Node's own metrics in it. */
export function createRegistry(part: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ part });
  collectDefaultMetrics({ register: registry });
  return registry;
}

export function metersOn(registry: Registry): Meters {
  const registers = [registry];
  const adding: Meters['adding'] = (name, help, ...labelNames) => {
    const counter = new Counter({ name, help, labelNames, registers });
    return (amount, ...values) => {
      counter.labels(...values).inc(amount);
    };
  };
  return {
    adding,
    counting: (name, help, ...labelNames) => {
      const add = adding(name, help, ...labelNames);
      return (...values) => {
        add(1, ...values);
      };
    },
    reading: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
  };
}
