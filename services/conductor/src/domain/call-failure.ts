import { DriverFailure, type FailureKind } from './driver-failure.js';

interface CallFailureOptions {
  /** The kind in responses, when it must reveal less. */
  readonly publicKind?: FailureKind;
  readonly maybeSent: boolean;
  readonly status?: number;
  readonly cause?: unknown;
}

/** A call to what belongs to a machine, its BMC or its agent, that failed. */
export class CallFailure extends DriverFailure {
  /** Whether the bytes of the request may have arrived: only then must a command not be sent again. */
  readonly maybeSent: boolean;
  /** Status that was answered, when there was an answer. */
  readonly status: number | undefined;

  constructor(kind: FailureKind, message: string, options: CallFailureOptions) {
    super(kind, message, options);
    this.name = new.target.name;
    this.maybeSent = options.maybeSent;
    this.status = options.status;
  }
}
