import { type Logger } from '@tenure/process';
import { isNewer, type PolicyWish, wishAfter } from '../domain/policy-wish.js';
import { type PolicyKeeper } from '../policy-keeper.js';
import { type ReplicaBoard, type SeenWish } from '../ports/replica-board.js';

/** What all replicas are to do. */
export interface Agreement {
  /** What they were told last, as far as this one knows. */
  readonly lastTold: () => PolicyWish | undefined;
  /**
   * Does what is new on the board, or puts there what it has lost, or what this one was told while it was away.
   * @throws Error while the board is away; what is known is done nevertheless
   */
  readonly settle: () => Promise<void>;
  /** Tells the others what this one was told, and did. @throws Error when they cannot be told now; they will be */
  readonly tell: (pinned: string | null) => Promise<void>;
}

export interface AgreementOptions {
  readonly keeper: Pick<PolicyKeeper, 'state' | 'serving' | 'obey' | 'note'>;
  readonly board: ReplicaBoard;
  readonly instance: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => Date;
}

const MAX_TRIES = 5;

/** Replaces what is on the board by something newer than that, and than what is known here. */
const publish = async (
  { board, keeper }: AgreementOptions,
  wish: Omit<PolicyWish, 'generation'>,
): Promise<PolicyWish> => {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const seen = await board.readWish();
    const next = wishAfter([keeper.state().wish, seen.wish], wish);
    if (await board.writeWish(next, seen)) return next;
  }
  throw new Error('the others are told other things at the same time');
};

/** Most will ask for it otherwise; and who cannot have it says so. */
const offer = async ({ board, keeper, logger }: AgreementOptions, revision: string) => {
  try {
    await board.putBundle(revision, keeper.serving().verified.parts);
  } catch (error) {
    logger.warn({ err: error, revision }, 'the bundle cannot be handed on to other replicas');
  }
};

export const createAgreement = (options: AgreementOptions): Agreement => {
  const { keeper, board, instance, now } = options;

  /** Nobody waits for whoever misses it: they look by themselves. */
  const callOut = (): void => {
    board.call({ look: 'board' }).catch(() => undefined);
  };

  /** One that was rolled back before it had others to tell tells them now, unless they were told something. */
  const lastTold = (): PolicyWish | undefined => {
    const { wish, pinned } = keeper.state();
    if (wish !== undefined || pinned === undefined) return wish;
    return { generation: 0, pinned, at: keeper.serving().since.toISOString(), by: instance };
  };

  const restore = async (known: PolicyWish, seen: SeenWish): Promise<void> => {
    if (isNewer(known, seen.wish) && (await board.writeWish(known, seen))) callOut();
  };

  return {
    lastTold,
    settle: async () => {
      const known = lastTold();
      let newest = known;
      try {
        const seen = await board.readWish();
        if (seen.wish !== undefined && isNewer(seen.wish, known)) newest = seen.wish;
        else if (known !== undefined) await restore(known, seen);
      } finally {
        if (newest !== undefined) await keeper.obey(newest);
      }
    },
    tell: async (pinned) => {
      const wish = { pinned, at: now().toISOString(), by: instance };
      try {
        if (pinned !== null) await offer(options, pinned);
        await keeper.note(await publish(options, wish));
      } catch (error) {
        await keeper.note(wishAfter([keeper.state().wish], wish));
        throw error;
      }
      callOut();
    },
  };
};
