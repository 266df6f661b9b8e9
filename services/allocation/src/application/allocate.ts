import {
  type AllocationRecord,
  AppError,
  type CallContext,
  NO_OBLIGATIONS,
} from '@tenure/contracts';
import { doubling, retry } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';
import { type Failure, failureSentence } from '../domain/failure.js';
import { EVERYTHING } from '../domain/node-filter.js';
import { shuffled } from '../domain/shuffle.js';
import { type AllocationStore } from '../ports/allocation-store.js';
import { type Candidate, type CandidateQuery, type NodePool } from '../ports/node-pool.js';
import { type FailureTime } from './failure-time.js';

/** How a run ended: on a node, in error, deleted meanwhile, or left to a later run. */
export type Outcome = 'active' | 'error' | 'deleted' | 'deferred';

export interface AllocateDeps {
  readonly store: AllocationStore;
  readonly pool: NodePool;
  /** Decides when an allocation that still has transient errors ends in error. */
  readonly failureTime: Pick<FailureTime, 'recordFailure'>;
  readonly random: () => number;
  /** Resolves early when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds before the second look after an empty answer: a node may be locked for a moment only. */
  readonly emptyPauseMs: number;
}

const PAGE = 100;
// Fewer than a page: what is left after some lost races is better seen in a fresh page.
const CLAIMS_PER_PAGE = 8;
const MAX_ROUNDS = 64;
const COLLISION_PAUSE_MS = 50;
/** Attempts of one call, and the pauses between them at most. */
const ATTEMPTS = 6;
const longestPauseMs = doubling(200, 3000);

interface Run extends AllocateDeps {
  readonly uuid: string;
  readonly context: CallContext;
  readonly signal: AbortSignal;
}

type ClaimResult = 'claimed' | 'taken' | 'changed';

/** The progress of a run: its round, and how many looks in a row found no node. */
interface Progress {
  readonly round: number;
  readonly emptyLooks: number;
}

/** The context of work that the service does for itself. */
export const ownContext = (requestId: string): CallContext =>
  newCallContext('baremetal:allocation:create', {
    request_id: requestId,
    obligations: { ...NO_OBLIGATIONS, filter: EVERYTHING },
  });

/**
 * Takes one node for an allocation, or ends it in error. Safe to run twice, also in two replicas at once: the claim is
 * one compare-and-set in the inventory, and an allocation has at most one node.
 * @returns `deferred` when it must be tried again later; `onError` then got the reason
 */
export async function allocate(
  deps: AllocateDeps,
  job: { readonly uuid: string; readonly requestId: string; readonly signal: AbortSignal },
  onError: (error: unknown) => void,
): Promise<Outcome> {
  const run: Run = {
    ...deps,
    uuid: job.uuid,
    context: ownContext(job.requestId),
    signal: job.signal,
  };
  try {
    return await findNode(run);
  } catch (error) {
    if (isNotFound(error)) return 'deleted';
    onError(error);
    return afterFailure(run, error).catch((second: unknown) =>
      isNotFound(second) ? 'deleted' : 'deferred',
    );
  }
}

async function findNode(run: Run): Promise<Outcome> {
  let emptyLooks = 0;
  for (let round = 1; ; round += 1) {
    // Read before the candidates: `fail` must not overwrite what another replica did meanwhile.
    const record = await attempt(run, () => run.store.find(run.uuid, run.context));
    if (record.state !== 'allocating') return record.state;
    const page = await candidatesOf(run, record);
    emptyLooks = page.length === 0 ? emptyLooks + 1 : 0;
    const outcome = await actOn(run, record, { round, emptyLooks, page });
    if (outcome !== undefined) return outcome;
    if (run.signal.aborted) return 'deferred';
    await run.sleep(
      emptyLooks > 0 ? run.emptyPauseMs : run.random() * COLLISION_PAUSE_MS,
      run.signal,
    );
  }
}

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.status === 404;

async function afterFailure(run: Run, error: unknown): Promise<Outcome> {
  const record = await run.store.find(run.uuid, run.context);
  if (record.state !== 'allocating') return record.state;
  if (isTransient(error) && !run.failureTime.recordFailure(run.uuid)) return 'deferred';
  return (
    (await fail(run, record, { kind: isTransient(error) ? 'timed_out' : 'internal' })) ?? 'deferred'
  );
}

/** Retries `step` after transient errors, with growing random pauses, and throws the last error in the end. */
const attempt = <T>(run: Run, step: () => Promise<T>): Promise<T> =>
  retry(step, {
    attempts: ATTEMPTS,
    isTransient: (error) => isTransient(error) && !run.signal.aborted,
    pauseMs: (failures) => longestPauseMs(failures) * (0.5 + run.random() / 2),
    sleep: (ms) => run.sleep(ms, run.signal),
  });

function candidatesOf(
  run: Run,
  { resource_class, traits, candidate_nodes, candidate_filter }: AllocationRecord,
  more: Partial<CandidateQuery> = {},
): Promise<readonly Candidate[]> {
  const filter = { mode: candidate_filter.mode, predicates: [...candidate_filter.predicates] };
  const query = { resource_class, traits, candidate_nodes, filter, limit: PAGE, ...more };
  return attempt(run, () => run.pool.candidates(query, run.context));
}

async function actOn(
  run: Run,
  record: AllocationRecord,
  seen: Progress & { readonly page: readonly Candidate[] },
): Promise<Outcome | undefined> {
  if (seen.emptyLooks >= 2) return fail(run, record, await failureOf(run, record));
  if (seen.round >= MAX_ROUNDS)
    return fail(run, record, { kind: 'all_taken', tried: seen.page.length });
  return claimOneOf(run, await inOrder(run, record, seen.page));
}

/** Errors that may pass: the inventory is unreachable, slow or broken. A refusal is permanent. */
const isTransient = (error: unknown): boolean => error instanceof AppError && error.status >= 500;

/** Ends it in error, if it is still as it was when the candidates were looked for; undefined when it is not. */
async function fail(
  run: Run,
  record: AllocationRecord,
  failure: Failure,
): Promise<Outcome | undefined> {
  const set = { state: 'error', last_error: failureSentence(failure, record) } as const;
  try {
    await attempt(run, () =>
      run.store.update(record.uuid, { expectedRevision: record.revision, set }, run.context),
    );
    return 'error';
  } catch (error) {
    if (error instanceof AppError && (error.status === 409 || error.status === 404))
      return undefined;
    throw error;
  }
}

async function failureOf(run: Run, record: AllocationRecord): Promise<Failure> {
  if (record.traits.length === 0) return { kind: 'no_node' };
  const withoutTraits = await candidatesOf(run, record, { traits: [] });
  return { kind: withoutTraits.length > 0 ? 'no_traits' : 'no_node' };
}

async function claimOneOf(run: Run, page: readonly Candidate[]): Promise<Outcome | undefined> {
  for (const node of page.slice(0, CLAIMS_PER_PAGE)) {
    const result = await claim(run, node);
    if (result === 'claimed') return 'active';
    if (result === 'changed') return undefined;
  }
  return undefined;
}

/** In any order, so that replicas rarely want the same node; but a node with the allocation's name comes first. */
async function inOrder(
  run: Run,
  record: AllocationRecord,
  page: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const { name } = record;
  const namesakes =
    name === null || page.length === 0 ? [] : await candidatesOf(run, record, { name, limit: 1 });
  const others = page.filter(({ uuid }) => namesakes.every((namesake) => namesake.uuid !== uuid));
  return [...namesakes, ...shuffled(others, run.random)];
}

async function claim(run: Run, node: Candidate): Promise<ClaimResult> {
  try {
    await attempt(run, () => run.pool.claim(run.uuid, node.uuid, run.context));
    return 'claimed';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'node_taken' || error.status === 412) return 'taken';
    if (error.status === 404 || error.status === 409) return 'changed';
    throw error;
  }
}
