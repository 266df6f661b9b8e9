import { type Part, type Tenure } from './tenure.js';

/** One metric as a part exposes it. */
export interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/u;
const LABEL = /(?<key>[a-zA-Z_]\w*)="(?<value>(?:[^"\\]|\\.)*)"(?:,|$)/gu;

const isOf = (metric: string, type: string, sample: string): boolean =>
  sample === metric ||
  (type === 'histogram' && ['_bucket', '_sum', '_count'].some((end) => sample === metric + end)) ||
  (type === 'summary' && ['_sum', '_count'].some((end) => sample === metric + end));

const META = /^# (?<kind>HELP|TYPE) (?<name>\S+) (?<rest>.*)$/u;

/** Puts metrics together, line by line. */
class Exposition {
  readonly metrics: (Metric & { samples: Sample[] })[] = [];
  #help = { name: '', text: '' };

  read(line: string): void {
    const { kind, name = '', rest = '' } = META.exec(line)?.groups ?? {};
    if (kind === 'HELP') this.#help = { name, text: rest };
    else if (kind === 'TYPE') this.#begin(name, rest);
    else this.#add(line);
  }

  #begin(name: string, type: string): void {
    if (this.#help.name !== name) throw new Error(`TYPE without HELP: ${name}`);
    if (this.metrics.some((metric) => metric.name === name))
      throw new Error(`exposed twice: ${name}`);
    this.metrics.push({ name, type, help: this.#help.text, samples: [] });
  }

  #add(line: string): void {
    const sample = sampleOf(line);
    const metric = this.metrics.at(-1);
    if (metric === undefined || !isOf(metric.name, metric.type, sample.name))
      throw new Error(`a sample out of place: ${line}`);
    metric.samples.push(sample);
  }
}

/**
 * The metrics of a text in Prometheus' exposition format.
 * @throws Error for what is not one: a sample without HELP and TYPE before it, a metric exposed twice
 */
export function parseExposition(text: string): readonly Metric[] {
  const exposition = new Exposition();
  for (const line of text.split('\n')) if (line !== '') exposition.read(line);
  return exposition.metrics;
}

/** Scrapes a part of a running Tenure. */
export async function scrape(tenure: Tenure, part: Part): Promise<readonly Metric[]> {
  const port = tenure.env[`${part.toUpperCase()}_ADMIN_PORT`] ?? '';
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
    signal: AbortSignal.timeout(10_000),
  });
  if (answer.status !== 200) throw new Error(`metrics of ${part}: ${String(answer.status)}`);
  return parseExposition(await answer.text());
}

function sampleOf(line: string): Sample {
  const groups = SAMPLE.exec(line)?.groups;
  if (groups === undefined) throw new Error(`not a sample: ${line}`);
  const { name = '', labels = '', value = '' } = groups;
  const pairs = [...labels.matchAll(LABEL)].map(({ groups: pair }) => [
    pair?.['key'],
    pair?.['value'],
  ]);
  return { name, labels: Object.fromEntries(pairs) as Sample['labels'], value: Number(value) }; // both groups match together
}
