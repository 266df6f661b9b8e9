import { type ReplicaReport } from '../domain/replica-report.js';
import { type ReplicaBoard } from '../ports/replica-board.js';

/** Who else is there. */
export interface RollCall {
  /** Says how this replica stands, and hears of the others. @throws Error while the board is away */
  readonly meet: () => Promise<void>;
  /** As they were when they were heard of, without those that were not for a while. */
  readonly others: () => readonly ReplicaReport[];
}

/** A replica that was not heard of for so long is not shown, and then forgotten. */
const SILENT_MS = 15_000;
const GONE_MS = 60_000;

const ageOf = ({ at }: ReplicaReport, now: Date): number => now.getTime() - Date.parse(at);

export const createRollCall = (
  board: Pick<ReplicaBoard, 'report' | 'reports' | 'leave'>,
  own: () => ReplicaReport,
  now: () => Date,
): RollCall => {
  let heard: readonly ReplicaReport[] = [];
  return {
    meet: async () => {
      const report = own();
      await board.report(report);
      heard = (await board.reports()).filter(({ id }) => id !== report.id);
      const time = now();
      for (const each of heard) if (ageOf(each, time) > GONE_MS) await board.leave(each.id);
    },
    others: () => {
      const time = now();
      return heard.filter((report) => ageOf(report, time) < SILENT_MS);
    },
  };
};
