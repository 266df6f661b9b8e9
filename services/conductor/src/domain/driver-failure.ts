import { AppError } from '@tenure/contracts';
import { type PowerState } from './power.js';

/** Kinds of driver failures. The message of each is safe to return: no credentials, no stack, no BMC text. */
export type FailureKind =
  | 'tls'
  | 'auth'
  | 'timeout'
  | 'unreachable'
  | 'answer'
  | 'redirect'
  | 'too_large'
  | 'malformed'
  | 'unsupported'
  | 'no_effect'
  | 'settings'
  | 'simulated';

export interface DriverFailureOptions {
  /** The kind in responses, when it must reveal less than the kind that the conductor acts on. */
  readonly publicKind?: FailureKind | undefined;
  readonly cause?: unknown;
  /** Power state last read from the hardware before it failed. */
  readonly powerState?: PowerState | undefined;
}

/** A failure of hardware, or of a node's settings for its hardware. `message` is safe to return. */
export class DriverFailure extends Error {
  readonly kind: FailureKind;
  /** The kind in responses. */
  readonly publicKind: FailureKind;
  readonly powerState: PowerState | undefined;

  constructor(kind: FailureKind, message: string, options: DriverFailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DriverFailure';
    this.kind = kind;
    this.publicKind = options.publicKind ?? kind;
    this.powerState = options.powerState;
  }

  /** The same failure with a power state. */
  withPowerState(powerState: PowerState | undefined): DriverFailure {
    const { cause, publicKind } = this;
    return new DriverFailure(this.kind, this.message, { cause, publicKind, powerState });
  }
}

const UNEXPECTED = 'an unexpected error happened in the conductor';

const STATUS: Readonly<Record<FailureKind, number>> = {
  settings: 400,
  unsupported: 400,
  timeout: 504,
  tls: 502,
  auth: 502,
  unreachable: 502,
  answer: 502,
  redirect: 502,
  too_large: 502,
  malformed: 502,
  no_effect: 502,
  simulated: 502,
};

/** Ironic's message for a driver without a capability, or for a node on which the capability is switched off. */
export const unsupportedSentence = (driver: string, what: string): string =>
  `Driver ${driver} does not support ${what} (disabled or not implemented)`;

/** The same as the driver's own failure. */
export const unsupported = (driver: string, what: string): DriverFailure =>
  new DriverFailure('unsupported', unsupportedSentence(driver, what));

/** The sentence for `last_error`. */
export const safeReason = (error: unknown): string =>
  error instanceof DriverFailure || error instanceof AppError ? error.message : UNEXPECTED;

/** A driver's failure as the answer of a synchronous route: 400 for the node's settings, 502 and 504 for its hardware. */
export const toRouteError = (error: unknown): unknown =>
  error instanceof DriverFailure
    ? new AppError(
        `driver_${error.publicKind}`,
        STATUS[error.publicKind],
        `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`,
        { cause: error },
      )
    : error;
