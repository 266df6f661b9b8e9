import { isDeepStrictEqual } from 'node:util';
import {
  DuplicateValueError,
  type PageQuery,
  type RecordStore,
  positionAfter,
} from '../../ports/record-store.js';
import { createModel, type Model, ModelDuplicateError } from './model-store.js';
import { HISTORY_SHAPES, type HistoryRecord, type Kind } from './shapes.js';
import { type Step } from './steps.js';

/** The stores of a history's records in one database. */
export type HistoryStores = Readonly<Record<Kind, RecordStore<HistoryRecord>>>;

type Read = Extract<Step, { readonly op: 'findBy' | 'countBy' | 'list' | 'page' | 'walk' }>;
type Write = Exclude<Step, Read>;

interface Outcome {
  readonly value?: unknown;
  /** The fields of which a store names one. */
  readonly duplicate?: readonly string[];
  /** Any other refusal, whose message depends on the adapter. */
  readonly refused?: true;
}

interface Page {
  readonly rows: readonly unknown[];
  readonly more: boolean;
}

/**
 * Runs a history against a model and against stores, which are empty, and compares every answer.
 * @throws Error that names the first step on which they differ
 */
export async function runHistory(
  history: readonly Step[],
  stores: Readonly<Record<string, HistoryStores>>,
): Promise<void> {
  const models = inMemory();
  for (const [index, step] of history.entries()) {
    // First the stores: the model says which revision is current before the step.
    const outcomes: (readonly [string, Outcome])[] = [];
    for (const [name, { [step.kind]: store }] of Object.entries(stores))
      outcomes.push([name, await outcomeOf(store, models[step.kind], step)]);
    const expected = await outcomeOf(models[step.kind], models[step.kind], step);
    for (const [name, outcome] of outcomes)
      if (!agrees(step, outcome, expected))
        throw new Error(
          `step ${index} on ${name}: ${JSON.stringify(step)}\n` +
            `  answered ${JSON.stringify(outcome)}\n  and not  ${JSON.stringify(expected)}`,
        );
  }
}

function inMemory(): HistoryStores {
  const parents = createModel(HISTORY_SHAPES.parents);
  return { parents, items: createModel(HISTORY_SHAPES.items, parents) };
}

async function outcomeOf(store: Model, model: Model, step: Step): Promise<Outcome> {
  try {
    return { value: plain(await run(store, model, step)) };
  } catch (error) {
    if (error instanceof ModelDuplicateError) return { duplicate: error.fields };
    if (error instanceof DuplicateValueError) return { duplicate: [error.field] };
    if (error instanceof Error && error.message.includes('no index')) return { refused: true };
    throw error;
  }
}

function agrees(step: Step, outcome: Outcome, expected: Outcome): boolean {
  if (expected.duplicate !== undefined)
    return outcome.duplicate?.every((field) => expected.duplicate?.includes(field)) ?? false;
  if (step.op === 'page' && step.query.bytes !== undefined && outcome.duplicate === undefined)
    return isShorterPage(outcome.value as Page, expected.value as Page); // what `page` returns
  return isDeepStrictEqual(outcome, expected);
}

/** The compared form: plain JSON, in which the order of members does not count. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

/** Runs a step on one store. */
const run = (store: Model, model: Model, step: Step): Promise<unknown> =>
  isRead(step) ? read(store, model, step) : write(store, model, step);

const isRead = (step: Step): step is Read =>
  !['insert', 'swap', 'remove', 'merge'].includes(step.op);

async function read(store: Model, model: Model, step: Read): Promise<unknown> {
  switch (step.op) {
    case 'findBy':
      return store.findBy(step.field, step.value);
    case 'countBy':
      return store.countBy(step.field);
    case 'list':
      return store.list(await queryOf(model, step.query));
    case 'page':
      return store.page(await queryOf(model, step.query));
    case 'walk':
      return walk(store, await queryOf(model, step.query));
  }
}

/** The model says which revision is current, so that every store gets the same step. */
async function write(store: Model, model: Model, step: Write): Promise<unknown> {
  switch (step.op) {
    case 'insert': {
      const { born } = await store.insert((epoch) => ({
        ...step.item.values,
        uuid: step.item.uuid,
        revision: epoch,
        born: epoch,
      }));
      return born;
    }
    case 'swap': {
      const { uuid, values } = step.item;
      const current = numberOf(await model.findBy('uuid', uuid));
      const expected = step.isStale ? current + 1 : current;
      return store.swap({ ...values, uuid, revision: current + 1 }, expected);
    }
    case 'remove': {
      const current = numberOf(await model.findBy('uuid', step.uuid));
      return store.remove(step.uuid, step.isStale ? current - 1 : current, current);
    }
    case 'merge':
      return store.merge(
        step.items.map(({ uuid, values }) => ({ ...values, uuid, revision: 0 })),
        (existing, incoming, epoch) => ({
          ...(step.keeps && existing),
          ...incoming,
          revision: existing === undefined ? epoch : existing.revision + 1,
        }),
      );
  }
}

async function queryOf(
  model: Model,
  { marker, ...query }: Extract<Step, { readonly op: 'list' | 'page' | 'walk' }>['query'],
): Promise<PageQuery> {
  if (marker === null) return { ...query, after: null };
  const record = (await model.findBy('uuid', marker)) ?? { uuid: marker, revision: 0 };
  return { ...query, after: positionAfter(record, query.order) };
}

/** Every row of a query, in pages of its limit. */
async function walk(store: Model, query: PageQuery): Promise<readonly string[]> {
  const seen: string[] = [];
  let { after } = query;
  for (;;) {
    const { rows, more } = await store.page({ ...query, after, limit: Math.max(1, query.limit) });
    seen.push(...rows.map(({ uuid }) => uuid));
    const last = rows.at(-1);
    if (!more || last === undefined) return seen;
    const record = (await store.findBy('uuid', last.uuid)) ?? { uuid: last.uuid, revision: 0 };
    after = positionAfter(record, query.order);
  }
}

const numberOf = (record: HistoryRecord | undefined): number => record?.revision ?? 0;

/** Bytes are counted as each store keeps them: a page may end earlier, says so, and has one row at least. */
const isShorterPage = (page: Page, whole: Page): boolean =>
  isDeepStrictEqual(page.rows, whole.rows.slice(0, page.rows.length)) &&
  page.rows.length >= Math.min(1, whole.rows.length) &&
  page.more === (whole.more || page.rows.length < whole.rows.length);
