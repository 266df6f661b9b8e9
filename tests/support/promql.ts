import { parser } from '@prometheus-io/lezer-promql';

/** Grafana's own variables in an expression, which Prometheus never sees. */
const GRAFANA: readonly (readonly [word: string, value: string])[] = [['$__rate_interval', '5m']];

const HISTOGRAM_PARTS = /_(?:bucket|sum|count)$/u;

/**
 * The metrics that an expression of Prometheus' language names; of a histogram's series, the histogram too.
 * @throws Error with the place of what the language does not know
 */
export function metricsIn(expression: string): readonly string[] {
  const text = GRAFANA.reduce((all, [word, value]) => all.replaceAll(word, value), expression);
  const names: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) throw new Error(`no PromQL at ${String(from)}: ${text}`);
      // A name of a label is one, too, but of another type.
      if (type.name === 'VectorSelector') {
        const name = /^[a-zA-Z_:][\w:]*/u.exec(text.slice(from, to))?.[0];
        if (name !== undefined) names.push(name);
      }
    },
  });
  return names;
}

/** The name under which a series is documented. */
export const documentedName = (name: string, names: ReadonlySet<string>): string =>
  names.has(name) ? name : name.replace(HISTOGRAM_PARTS, '');
