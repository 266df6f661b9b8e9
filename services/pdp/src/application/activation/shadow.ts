import { setImmediate as defer } from 'node:timers';
import { type Entrypoint, isBatchAnswer, isPolicyAnswer, messageOf } from '@tenure/policy';
import { type Logger } from '@tenure/process';
import { loggedInput } from '../../domain/logged-input.js';
import { type PolicySource } from '../../ports/policy-source.js';
import { type PdpMetrics } from '../metrics.js';
import { type ActivePolicy, type PolicyLoader } from './loader.js';
import { type Difference, differencesOf } from './shadow-difference.js';

/** A decision that was made. */
interface Observed {
  readonly entrypoint: Entrypoint;
  readonly input: unknown;
  readonly decisionId: string;
  readonly answer: unknown;
}

/** A decision that differs from that of the shadow. */
interface ShadowSample extends Observed {
  readonly at: string;
  readonly action: string;
  readonly difference: Difference;
  readonly shadow: unknown;
}

export interface ShadowStatus {
  readonly state: 'active' | 'not loaded' | 'given up';
  readonly source: string;
  readonly share: number;
  readonly revision: string | undefined;
  /** The reason why it is not evaluated. */
  readonly reason: string | undefined;
  readonly evaluated: number;
  readonly dropped: number;
  readonly failed: number;
  readonly differences: Readonly<Partial<Record<Difference, number>>>;
}

export interface PolicyShadow {
  readonly observe: (observed: Observed) => void;
  readonly status: () => ShadowStatus;
  /** Newest first. */
  readonly samples: () => readonly ShadowSample[];
  /** Loads the current bundle of its source. Never rejects. */
  readonly reload: () => Promise<void>;
  readonly reloadIfChanged: () => Promise<void>;
}

export interface PolicyShadowOptions {
  readonly source: PolicySource;
  readonly loader: PolicyLoader;
  readonly share: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Pick<PdpMetrics, 'shadowed'>;
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Maximum number of decisions that wait for the shadow; more are dropped. */
const QUEUE = 256;
const SAMPLES = 100;
/** Milliseconds for one evaluation, far less than the live policy has, so that a slow shadow does not delay requests. */
const DEADLINE_MS = 5;
/** Failures in a row after which it is not evaluated any more, until its bundle changes. */
const MAX_FAILURES = 3;

type Slot = ReturnType<typeof createSlot>;

/** A second policy, evaluated after the answers of the first. No answer waits for it or depends on it. */
export function createPolicyShadow(options: PolicyShadowOptions): PolicyShadow {
  const { source, share, metrics, random } = options;
  const comparison = createComparison(options);
  const slot = createSlot(options, comparison.reset);

  const queue = createQueue((observed) => {
    const policy = slot.policy();
    if (policy === undefined || slot.reason() !== undefined) return;
    const { engine, revision } = policy;
    const counts = comparison.counts();
    counts.evaluated += 1;
    try {
      comparison.compare(observed, engine.evaluate(observed.entrypoint, observed.input), revision);
      counts.inARow = 0;
    } catch (error) {
      metrics.shadowed('failed');
      counts.failed += 1;
      counts.inARow += 1;
      if (counts.inARow < MAX_FAILURES) return;
      queue.clear();
      slot.stop(`it failed ${MAX_FAILURES} times in a row: ${messageOf(error)}`);
    }
  });

  return {
    observe: (observed) => {
      if (slot.reason() !== undefined || random() >= share) return;
      if (queue.add(observed)) return;
      metrics.shadowed('dropped');
      comparison.counts().dropped += 1;
    },
    status: () => {
      const { evaluated, dropped, failed, differences } = comparison.counts();
      return {
        state: stateOf(slot),
        source: source.name,
        share,
        revision: slot.policy()?.revision,
        reason: slot.reason(),
        ...{ evaluated, dropped, failed, differences },
      };
    },
    samples: comparison.samples,
    reload: slot.reload,
    reloadIfChanged: slot.reloadIfChanged,
  };
}

/** Compares decisions with those of the shadow, and counts the differences. */
function createComparison({ logger, metrics, now }: PolicyShadowOptions) {
  let counts = fresh();
  let samples: readonly ShadowSample[] = [];

  const compare = (observed: Observed, shadow: unknown, revision: string): void => {
    const { entrypoint, input, answer, decisionId } = observed;
    if (!isAnswer(entrypoint, shadow)) throw new Error('its answer is not a decision');
    const found = differencesOf(entrypoint, input, [answer, shadow]);
    if (found.length === 0) metrics.shadowed('same');
    for (const { action, difference } of found) {
      metrics.shadowed(difference);
      counts.differences[difference] = (counts.differences[difference] ?? 0) + 1;
      samples = [
        {
          at: now().toISOString(),
          ...observed,
          input: loggedInput(input).input,
          action,
          difference,
          shadow,
        },
        ...samples,
      ].slice(0, SAMPLES);
      logger.info({ decision_id: decisionId, action, difference, revision }, 'the shadow differs');
    }
  };
  return {
    counts: () => counts,
    samples: () => samples,
    reset: () => {
      counts = fresh();
      samples = [];
    },
    compare,
  };
}

/** The policy that is the shadow now, or why there is none. */
function createSlot({ source, loader, share, logger }: PolicyShadowOptions, onChange: () => void) {
  let policy: ActivePolicy | undefined;
  let reason: string | undefined = 'not loaded yet';
  let print: string | undefined;

  const stop = (why: string): void => {
    reason = why;
    logger.warn({ revision: policy?.revision }, `the shadow is not evaluated: ${why}`);
  };
  const load = async (): Promise<void> => {
    try {
      print = await source.fingerprint();
      const verified = loader.verify(await source.read());
      if (verified.revision === policy?.revision) return;
      policy = await loader.prepare(verified, DEADLINE_MS);
      onChange();
      reason = undefined;
      logger.info({ revision: policy.revision, source: source.name, share }, 'shadow loaded');
    } catch (error) {
      if (policy === undefined) stop(messageOf(error));
      else
        logger.warn({ err: error }, `new shadow refused, the old one stays: ${messageOf(error)}`);
    }
  };
  // One at a time; `load` never rejects.
  let loading = Promise.resolve();
  const reload = (): Promise<void> => (loading = loading.then(load));
  return {
    policy: () => policy,
    reason: () => reason,
    stop,
    reload,
    reloadIfChanged: async (): Promise<void> => {
      const seen = await source.fingerprint().catch(() => print);
      if (seen !== print) await reload();
    },
  };
}

/** Deferred work, one item in each round of the event loop, so that requests are answered between two items. */
function createQueue(work: (observed: Observed) => void) {
  let waiting: Observed[] = [];
  let isScheduled = false;
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    defer(() => {
      isScheduled = false;
      const next = waiting.shift();
      if (next !== undefined) work(next);
      schedule();
    });
  };
  return {
    /** False when the queue is full. */
    add: (observed: Observed): boolean => {
      if (waiting.length >= QUEUE) return false;
      waiting.push(observed);
      schedule();
      return true;
    },
    clear: () => {
      waiting = [];
    },
  };
}

function stateOf(slot: Slot): ShadowStatus['state'] {
  if (slot.reason() === undefined) return 'active';
  return slot.policy() === undefined ? 'not loaded' : 'given up';
}

const fresh = () => ({
  evaluated: 0,
  dropped: 0,
  failed: 0,
  inARow: 0,
  differences: {} as Partial<Record<Difference, number>>,
});

const isAnswer = (entrypoint: Entrypoint, answer: unknown): boolean =>
  entrypoint === 'decision' ? isPolicyAnswer(answer) : isBatchAnswer(answer);
