/** The policy could not be evaluated, or answered with something that is not an answer. It is logged, and not sent to clients. */
export class PolicyFailure extends Error {
  override readonly name: string = 'PolicyFailure';
}

/** The policy ran longer than it may, and was stopped. */
export class PolicyOutOfTime extends PolicyFailure {
  override readonly name = 'PolicyOutOfTime';
}

/** The policy wanted more memory, or a deeper stack, than it may have, and was stopped. */
export class PolicyOutOfMemory extends PolicyFailure {
  override readonly name = 'PolicyOutOfMemory';
}

/** A bundle, an overlay or a switch that cannot be taken into service; the message is one line for the operator. */
export class PolicyRefused extends Error {
  override readonly name: string = 'PolicyRefused';
}

/** A policy that answers a question wrongly. */
export class CaseFailed extends PolicyRefused {
  override readonly name = 'CaseFailed';
  /** Name of the question. */
  readonly failingCase: string;

  constructor(failingCase: string, message: string) {
    super(message);
    this.failingCase = failingCase;
  }
}

/** The message of anything that was thrown; WASM policies throw strings and plain objects as well as errors. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  if (typeof thrown === 'string') return thrown;
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown)
    return String(thrown.message);
  return 'unknown failure';
}
