import { type DecisionAnswer, type Question } from '@tenure/contracts';

/** The policy decision point, as the gateway needs it. */
export interface DecisionPoint {
  /**
   * @param deadlineMs milliseconds
   * @throws UnavailableError when no usable decision arrives in time: never an allow; AppError 429 when the project's share of
   *   the decision log is used up
   */
  readonly decide: (
    question: Question,
    requestId: string,
    deadlineMs: number,
  ) => Promise<DecisionAnswer>;
}
