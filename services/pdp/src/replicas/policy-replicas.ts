import { wordsOf } from '@tenure/policy';
import { type Logger } from '@tenure/process';
import { type PolicyWish } from '../domain/policy-wish.js';
import { type ReplicaReport } from '../domain/replica-report.js';
import { type Outcome } from '../keeping/outcome.js';
import { createTurns } from '../keeping/turns.js';
import { type PolicyKeeper } from '../policy-keeper.js';
import { type Agreement, type AgreementOptions, createAgreement } from './agreement.js';
import { createHandOver } from './hand-over.js';
import { onceSoon } from './once-soon.js';
import { createRollCall } from './roll-call.js';

/** What is known of all replicas. */
export interface ReplicasStatus {
  /** This one first; the others as they were a few seconds ago. */
  readonly replicas: readonly ReplicaReport[];
  /** False while the others cannot be told anything, nor be heard. */
  readonly isReachable: boolean;
  /** What they were told last. */
  readonly told: PolicyWish | undefined;
}

/** The policy of this replica, as far as all agree on it. */
export interface PolicyReplicas extends Pick<
  PolicyKeeper,
  'reload' | 'reloadIfChanged' | 'rollBack'
> {
  readonly status: () => ReplicasStatus;
  /** Does what the others were told, and follows them from then on. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface PolicyReplicasOptions extends AgreementOptions {
  readonly keeper: PolicyKeeper;
  /** Of this process, and of nobody else. */
  readonly id: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds between looks; calls come at once, and these are for those that were lost. */
  readonly everyMs: number;
}

const ownReport = ({ keeper, id, instance, now }: PolicyReplicasOptions): ReplicaReport => {
  const { policy, since } = keeper.serving();
  const trouble = keeper.trouble();
  return {
    ...{ id, instance },
    revision: policy.revision,
    pinned: keeper.state().pinned !== undefined,
    since: since.toISOString(),
    status: trouble === undefined ? 'ok' : 'degraded',
    ...(trouble !== undefined && { reason: trouble.reason.slice(0, 1024) }),
    at: now().toISOString(),
  };
};

interface Reach {
  readonly isReachable: () => boolean;
  readonly yes: () => void;
  readonly no: (error: unknown) => void;
}

/** Whether the others can be reached, told when it changes. */
const createReach = (logger: PolicyReplicasOptions['logger']): Reach => {
  let isReachable = true;
  return {
    isReachable: () => isReachable,
    yes: () => {
      if (!isReachable) logger.info('the other decision points can be reached again');
      isReachable = true;
    },
    no: (error) => {
      const text = `the other decision points cannot be reached: ${wordsOf(error)}`;
      if (isReachable) logger.warn({ err: error }, text);
      isReachable = false;
    },
  };
};

/** Does what this replica is told, and tells the others. What it refuses, or does not have, it does not ask of them. */
const createTeller =
  (agreement: Agreement, reach: Reach) =>
  async (work: () => Promise<Outcome>, pinned: string | null): Promise<Outcome> => {
    const outcome = await work();
    if ('reason' in outcome) return outcome;
    try {
      await agreement.tell(pinned);
      return { ...outcome, others: 'told' };
    } catch (error) {
      reach.no(error);
      return { ...outcome, others: 'not told' };
    }
  };

/** Keeps the replicas of the decision point at one policy: what one is told, all do, sooner or later. */
export const createPolicyReplicas = (options: PolicyReplicasOptions): PolicyReplicas => {
  const { keeper, board, id, logger, now, everyMs } = options;
  const inTurn = createTurns();
  const reach = createReach(logger);
  const agreement = createAgreement(options);
  const own = (): ReplicaReport => ownReport(options);
  const rollCall = createRollCall(board, own, now);
  const handOver = createHandOver(board, keeper.partsOf);
  let every: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    try {
      await agreement.settle();
      await rollCall.meet();
      reach.yes();
    } catch (error) {
      reach.no(error);
    }
  };
  const lookSoon = onceSoon(() => void inTurn(look));
  const reloadSoon = onceSoon(() => void keeper.reloadIfChanged());

  const tell = createTeller(agreement, reach);
  const told = async (work: () => Promise<Outcome>, pinned: string | null): Promise<Outcome> => {
    const outcome = await inTurn(() => tell(work, pinned));
    lookSoon.ask();
    return outcome;
  };

  return {
    reload: (trigger) => told(() => keeper.reload(trigger), null),
    rollBack: (revision) => told(() => keeper.rollBack(revision), revision),
    reloadIfChanged: async () => {
      const { revision } = keeper.current();
      await keeper.reloadIfChanged();
      if (keeper.current().revision === revision) return;
      board.call({ look: 'source' }).catch(() => undefined);
      lookSoon.ask();
    },
    status: () => ({
      isReachable: reach.isReachable(),
      told: agreement.lastTold(),
      replicas: [own(), ...rollCall.others()],
    }),
    start: async () => {
      board.listen((call) => {
        if ('want' in call) handOver(call.want);
        else lookSoon.ask();
        if ('look' in call && call.look === 'source') reloadSoon.ask();
      });
      every = setInterval(lookSoon.ask, everyMs).unref();
      await inTurn(look);
    },
    stop: async () => {
      clearInterval(every);
      lookSoon.stop();
      reloadSoon.stop();
      await board.leave(id).catch(() => undefined);
    },
  };
};
