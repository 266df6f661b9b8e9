import { creatorsOperations } from '@tenure/policy';
import { createMutex, type Logger } from '@tenure/process';
import { type DesiredRevision } from '../../domain/desired-revision.js';
import { type StoredState } from '../../domain/stored-state.js';
import { type PolicyParts, SourceAway } from '../../ports/policy-source.js';
import { type PdpMetrics } from '../metrics.js';
import { bundleOf, firstPolicy, type FirstPolicyOptions, started } from './first-policy.js';
import { type ActivePolicy } from './loader.js';
import { transition } from './machine.js';
import {
  type ActivationEvent,
  type ActivationState,
  type Active,
  type Effect,
  type Outcome,
  type Query,
  type Trouble,
  troubleNow,
} from './state.js';

export interface ActivatorOptions extends FirstPolicyOptions {
  /** Entries of the history that are kept, with their bundles. */
  readonly keep: number;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly metrics: Pick<PdpMetrics, 'activated' | 'loaded' | 'pinned'>;
  readonly now: () => Date;
}

/** Keeps one policy active, and tries candidates while it answers. */
export interface PolicyActivator {
  readonly current: () => ActivePolicy;
  readonly active: () => Active;
  readonly stored: () => StoredState;
  /** Undefined while all is well. */
  readonly trouble: () => Trouble | undefined;
  /**
   * Activates what the source has now, also when another revision is pinned. A candidate that is refused changes nothing
   * but the history, a log line and a metric.
   */
  readonly reload: (trigger?: 'push' | 'unpin') => Promise<Outcome>;
  /** Reloads when the source has changed since it was read last; does nothing while a policy is pinned. */
  readonly reloadIfChanged: () => Promise<void>;
  /** Activates a revision that was active before, here or at another replica, and pins it until an operator reloads. */
  readonly rollBack: (revision: string) => Promise<Outcome>;
  /** Activates the desired revision of all replicas. A missing bundle is retried; a refused one is not. */
  readonly apply: (desired: DesiredRevision) => Promise<void>;
  /** Stores the desired revision that a command at this replica led to. */
  readonly published: (desired: DesiredRevision) => Promise<void>;
  /** The bundle of a revision, when it is stored here. */
  readonly bundleOf: (revision: string) => Promise<PolicyParts | undefined>;
}

const DEPRECATED_USERS =
  'deprecated: these operations depend on the user who made a server. It is a safeguard against accidents, no boundary: ' +
  'users of one project can still see and reboot each other’s servers. It breaks what clients expect of a project, and goes ' +
  'away once projects can be nested.';

type Tools = Pick<ActivatorOptions, 'store' | 'logger' | 'metrics'>;

/**
 * Activates the first policy, and keeps the best one active from then on.
 * @throws PolicyRefused or PolicyFailure when the first one cannot be activated
 */
export async function createPolicyActivator(options: ActivatorOptions): Promise<PolicyActivator> {
  const { source, store, metrics, keep, now, desired } = options;
  const stored = await store.load();
  const first = await firstPolicy(options, stored);
  const start = started(first, { stored, desired, keep, now: now() });
  metrics.pinned(stored.pinned !== undefined);
  for (const effect of start.effects) await carryOut(options, effect);
  let state: ActivationState = start.state;

  const run = async (command: ActivationEvent): Promise<Outcome> => {
    let event = command;
    for (;;) {
      const step = transition(state, event, { source: source.name, keep, now: now() });
      // The state is stored first: a policy that gave answers must be available after a restart.
      for (const effect of step.effects) await carryOut(options, effect);
      ({ state } = step);
      if ('outcome' in step.next) return step.next;
      event = await resultOf(options, step.next);
    }
  };
  const mutex = createMutex();
  const runExclusively = (command: ActivationEvent): Promise<Outcome> =>
    mutex.run(() => run(command));
  return {
    current: () => state.active.policy,
    active: () => state.active,
    stored: () => state.stored,
    trouble: () => troubleNow(state),
    reload: (trigger = 'push') => runExclusively({ type: 'reload', trigger }),
    reloadIfChanged: async () => {
      await runExclusively({ type: 'poll' });
    },
    rollBack: (revision) => runExclusively({ type: 'roll back', revision }),
    apply: async (newest) => {
      await runExclusively({ type: 'desire', desired: newest });
    },
    published: async (newest) => {
      await runExclusively({ type: 'published', desired: newest });
    },
    bundleOf: store.get,
  };
}

/** Never rejects: a decision point whose disk is full goes on deciding. */
async function carryOut(tools: Tools, effect: Effect): Promise<void> {
  const { store, logger, metrics } = tools;
  switch (effect.do) {
    case 'store bundle':
      await store.put(effect.revision, effect.parts).catch((error: unknown) => {
        logger.error({ err: error }, 'the bundle could not be kept for a rollback');
      });
      return;
    case 'save':
      metrics.pinned(effect.stored.pinned !== undefined);
      await store.save(effect.stored).catch((error: unknown) => {
        logger.error({ err: error }, 'the history of bundles could not be written');
      });
      return;
    case 'report active':
      reportActive(tools, effect.active);
      return;
    case 'report unchanged':
      metrics.loaded('unchanged');
      return;
    case 'report refused': {
      const { error, active: revision, refused, reason } = effect;
      metrics.loaded('refused');
      logger.error(
        { err: error, revision, ...(refused !== undefined && { refused }) },
        `new policy refused, the old one stays: ${reason}`,
      );
      return;
    }
    case 'report away':
      logger.error({ err: effect.error }, effect.reason);
  }
}

/** Never rejects: a failure is an event, too. */
async function resultOf(options: ActivatorOptions, query: Query): Promise<ActivationEvent> {
  const { source, loader, deadlineMs } = options;
  switch (query.query) {
    case 'fingerprint':
      return source.fingerprint().then(
        (fingerprint) => ({ type: 'fingerprint', fingerprint }),
        (error: unknown) => ({ type: 'away', error }),
      );
    case 'source':
      return source.read().then(
        (parts) => ({ type: 'fetched', parts }),
        (error: unknown) => ({ type: error instanceof SourceAway ? 'away' : 'rejected', error }),
      );
    case 'bundle':
      try {
        const { revision } = query;
        const parts = await bundleOf(options, revision);
        return parts === undefined ? { type: 'missing', revision } : { type: 'fetched', parts };
      } catch (error) {
        return { type: 'unreadable', revision: query.revision, error };
      }
    case 'verify':
      try {
        return { type: 'verified', verified: loader.verify(query.parts) };
      } catch (error) {
        return { type: 'rejected', error };
      }
    case 'prepare':
      return loader.prepare(query.verified, deadlineMs).then(
        (policy) => ({ type: 'prepared', policy, verified: query.verified }),
        (error: unknown) => ({ type: 'rejected', error }),
      );
  }
}

function reportActive({ logger, metrics }: Tools, { policy, source }: Active): void {
  const { revision, actions } = policy;
  metrics.loaded('activated');
  metrics.activated(revision);
  logger.info({ revision, source }, 'policy in service');
  const operations = creatorsOperations(actions);
  if (operations.length > 0) logger.warn({ actions: operations }, DEPRECATED_USERS);
}
