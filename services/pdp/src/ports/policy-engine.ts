import { type Entrypoint } from '@tenure/policy';

/** One compiled policy with its data. Nothing in it changes after it was made. */
export interface PolicyEngine {
  /**
   * The policy's own answer, unchecked. Synchronous, and not to be called from within itself.
   * @param input the question; undefined when there is none
   * @throws PolicyFailure when the policy cannot be evaluated: never an allow
   */
  readonly evaluate: (entrypoint: Entrypoint, input: unknown) => unknown;
  /** Memory it holds now, in pages of 64 KiB. */
  readonly memoryPages: () => number;
}
