import { messageOf } from '@tenure/policy';
import {
  createMutex,
  createOutage,
  every,
  type Logger,
  type Outage,
  type Repetition,
} from '@tenure/process';
import { desiredAfter, type DesiredRevision, isNewer } from '../../domain/desired-revision.js';
import { type ReplicaReport } from '../../domain/replica-messages.js';
import { type FoundDesired, type ReplicaRegistry } from '../../ports/replica-registry.js';
import { type PolicyActivator } from './activator.js';
import { debounced } from './debounced.js';
import { createBundlePublisher } from './peer-bundles.js';
import { type Outcome } from './state.js';

/** The status of all replicas. */
export interface ReplicasStatus {
  /** This one first; the others as they were a few seconds ago. */
  readonly replicas: readonly ReplicaReport[];
  /** False while the registry cannot be used. */
  readonly isReachable: boolean;
  readonly desired: DesiredRevision | undefined;
}

/** The activator of this replica, for commands that reach all replicas. */
export interface PolicyReplicas extends Pick<
  PolicyActivator,
  'reload' | 'reloadIfChanged' | 'rollBack'
> {
  readonly status: () => ReplicasStatus;
  /** Applies the desired revision, and follows it from then on. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface PolicyReplicasOptions {
  readonly activator: PolicyActivator;
  readonly registry: ReplicaRegistry;
  /** Unique id of this process. */
  readonly id: string;
  readonly instance: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly now: () => Date;
  /** Milliseconds between two reads of the registry, which make up for lost messages. */
  readonly everyMs: number;
}

const MAX_TRIES = 5;
/** A replica that has not reported for so long is not in the status, and later not in the registry. */
const SILENT_MS = 15_000;
const EXPIRED_MS = 60_000;

/** Keeps the replicas of the decision point at one policy: a command to one reaches all of them eventually. */
export function createPolicyReplicas(options: PolicyReplicasOptions): PolicyReplicas {
  const { activator, registry, id, everyMs } = options;
  const mutex = createMutex();
  const outage = outageOf(options);
  const reports = createReports(options);
  const publishBundle = createBundlePublisher(registry, activator.bundleOf);
  let looks: Repetition | undefined;

  const look = async (): Promise<void> => {
    try {
      await reconcile(options);
      await reports.exchange();
      outage.succeeded();
    } catch (error) {
      outage.failed(error);
    }
  };
  const lookSoon = debounced(() => void mutex.run(look));
  const reloadSoon = debounced(() => void activator.reloadIfChanged());

  const run = async (command: () => Promise<Outcome>, pinned: string | null): Promise<Outcome> => {
    const outcome = await mutex.run(() => carryOut(options, outage, command, pinned));
    lookSoon.schedule();
    return outcome;
  };

  return {
    reload: (trigger) => run(() => activator.reload(trigger), null),
    rollBack: (revision) => run(() => activator.rollBack(revision), revision),
    reloadIfChanged: async () => {
      const { revision } = activator.current();
      await activator.reloadIfChanged();
      if (activator.current().revision === revision) return;
      notify(options, 'source');
      lookSoon.schedule();
    },
    status: () => ({
      isReachable: !outage.isOn(),
      desired: desiredOf(options),
      replicas: reports.recent(),
    }),
    start: async () => {
      registry.subscribe((message) => {
        if ('want' in message) publishBundle(message.want);
        else lookSoon.schedule();
        if ('look' in message && message.look === 'source') reloadSoon.schedule();
      });
      await mutex.run(look);
      looks = every(everyMs, lookSoon.schedule);
    },
    stop: async () => {
      await looks?.stop();
      lookSoon.stop();
      reloadSoon.stop();
      await registry.remove(id).catch(() => undefined);
    },
  };
}

const outageOf = ({ logger }: PolicyReplicasOptions): Outage =>
  createOutage({
    began: (error) => {
      const text = `the other decision points cannot be reached: ${messageOf(error)}`;
      logger.warn({ err: error }, text);
    },
    ended: () => {
      logger.info('the other decision points can be reached again');
    },
  });

/** Reports of the other replicas, read whenever this one reports. */
function createReports(options: PolicyReplicasOptions) {
  const { registry, id, now } = options;
  let others: readonly ReplicaReport[] = [];
  return {
    /** @throws Error when the registry cannot be used */
    exchange: async (): Promise<void> => {
      await registry.report(ownReport(options));
      others = (await registry.reports()).filter((report) => report.id !== id);
      const time = now();
      for (const each of others) if (ageOf(each, time) > EXPIRED_MS) await registry.remove(each.id);
    },
    recent: (): readonly ReplicaReport[] => {
      const time = now();
      return [ownReport(options), ...others.filter((each) => ageOf(each, time) < SILENT_MS)];
    },
  };
}

/**
 * Applies a newer desired revision from the registry, or restores one there that it has lost.
 * @throws Error while the registry cannot be used; the newest that is stored here is applied nevertheless
 */
async function reconcile(options: PolicyReplicasOptions): Promise<void> {
  const { activator, registry } = options;
  const stored = desiredOf(options);
  let newest = stored;
  const restore = async (found: FoundDesired): Promise<void> => {
    if (stored === undefined || !isNewer(stored, found.desired)) return;
    if (await registry.writeDesired(stored, found)) notify(options, 'registry');
  };
  try {
    const found = await registry.readDesired();
    if (found.desired !== undefined && isNewer(found.desired, stored)) newest = found.desired;
    else await restore(found);
  } finally {
    if (newest !== undefined) await activator.apply(newest);
  }
}

/** Carries out a command and publishes it, unless it is refused here or its bundle is missing. */
async function carryOut(
  options: PolicyReplicasOptions,
  outage: Outage,
  command: () => Promise<Outcome>,
  pinned: string | null,
): Promise<Outcome> {
  const outcome = await command();
  if ('reason' in outcome) return outcome;
  try {
    await publishCommand(options, pinned);
    return { ...outcome, peers: 'notified' };
  } catch (error) {
    outage.failed(error);
    return { ...outcome, peers: 'not notified' };
  }
}

/** A lost message does no harm: each replica also polls the registry. */
function notify({ registry }: PolicyReplicasOptions, look: 'registry' | 'source'): void {
  registry.publish({ look }).catch(() => undefined);
}

/** The stored desired revision. A rollback from before this replica had peers counts as one of generation 0. */
function desiredOf({ activator, instance }: PolicyReplicasOptions): DesiredRevision | undefined {
  const { desired, pinned } = activator.stored();
  if (desired !== undefined || pinned === undefined) return desired;
  return { generation: 0, pinned, at: activator.active().since.toISOString(), by: instance };
}

function ownReport({ activator, id, instance, now }: PolicyReplicasOptions): ReplicaReport {
  const { policy, since } = activator.active();
  const trouble = activator.trouble();
  return {
    ...{ id, instance },
    revision: policy.revision,
    pinned: activator.stored().pinned !== undefined,
    since: since.toISOString(),
    status: trouble === undefined ? 'ok' : 'degraded',
    ...(trouble !== undefined && { reason: trouble.reason.slice(0, 1024) }),
    at: now().toISOString(),
  };
}

const ageOf = ({ at }: ReplicaReport, now: Date): number => now.getTime() - Date.parse(at);

/** @throws Error when the registry cannot be used now; the command is published later then */
async function publishCommand(
  options: PolicyReplicasOptions,
  pinned: string | null,
): Promise<void> {
  const { activator, instance, now } = options;
  const desired = { pinned, at: now().toISOString(), by: instance };
  try {
    if (pinned !== null) await offerBundle(options, pinned);
    await activator.published(await writeNewer(options, desired));
  } catch (error) {
    await activator.published(desiredAfter([activator.stored().desired], desired));
    throw error;
  }
  notify(options, 'registry');
}

/** Publishes a bundle before replicas request it. A failure is only logged: they request it later, and report a missing one. */
async function offerBundle(
  { registry, activator, logger }: PolicyReplicasOptions,
  revision: string,
): Promise<void> {
  try {
    await registry.putBundle(revision, activator.active().verified.parts);
  } catch (error) {
    logger.warn({ err: error, revision }, 'the bundle cannot be published to other replicas');
  }
}

/** Replaces the desired revision by one that is newer than all that are found. */
async function writeNewer(
  { registry, activator }: PolicyReplicasOptions,
  desired: Omit<DesiredRevision, 'generation'>,
): Promise<DesiredRevision> {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const found = await registry.readDesired();
    const next = desiredAfter([activator.stored().desired, found.desired], desired);
    if (await registry.writeDesired(next, found)) return next;
  }
  throw new Error('other replicas write desired revisions at the same time');
}
