import { type DecisionAnswer, type Question } from '@tenure/contracts';

/** The policy decision point, as the gateway needs it. */
export interface DecisionPoint {
  /**
   * @param deadlineMs milliseconds
   * @throws UnavailableError when no usable decision comes in time: never an allow
   */
  readonly decide: (
    question: Question,
    requestId: string,
    deadlineMs: number,
  ) => Promise<DecisionAnswer>;
}
