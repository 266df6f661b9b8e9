import { type Entrypoint } from '@tenure/policy';

/** One compiled policy with its data. Nothing in it changes after it was made. */
export interface PolicyEngine {
  /**
   * The policy's own answer, unchecked. Synchronous, and not to be called from within itself.
   * @param input the question; undefined when there is none
   * @throws PolicyOutOfTime when it ran out of fuel
   * @throws PolicyOutOfMemory when it reached the end of its memory or stack
   * @throws PolicyFailure when the policy cannot be evaluated: never an allow
   */
  readonly evaluate: (entrypoint: Entrypoint, input: unknown) => unknown;
  /** Units of fuel that the last evaluation took. */
  readonly lastCost: () => number;
  /** Memory it holds now, in pages of 64 KiB. */
  readonly memoryPages: () => number;
}

/**
 * Compiles a policy, for engines with different data.
 * @param budget units of fuel for one evaluation, called before each
 * @throws PolicyRefused for a module that cannot be used
 */
export type EngineFactory = (
  wasm: Uint8Array,
  budget: () => number,
) => Promise<(data: object) => Promise<PolicyEngine>>;
