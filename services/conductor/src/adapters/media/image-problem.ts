import { DriverFailure } from '../../domain/driver-failure.js';
import { transportErrorOf } from '../transport-error.js';

const IMAGE = 'the image of driver_info.deploy_iso';

const SENTENCES = {
  tls: 'TLS verification of its server failed',
  too_large: 'its server sent too much',
  timeout: 'its server did not send it in time',
  unreachable: 'its server cannot be reached',
} as const;

const NOT_KEPT: ReadonlySet<string> = new Set([
  'EACCES',
  'EDQUOT',
  'EEXIST',
  'EIO',
  'EISDIR',
  'EMFILE',
  'ENOSPC',
  'ENOTDIR',
  'EPERM',
  'EROFS',
]);

/** The conductor's own directory is the reason. */
export const notKept = (): DriverFailure =>
  new DriverFailure(
    'no_effect',
    `${IMAGE} could not be kept: the directory of the conductor for images is full, or not its own`,
  );

/** An image that could not be fetched. The cause is left out: its text may hold the address, and so a password. */
export function notFetched(error: unknown): DriverFailure {
  if (error instanceof DriverFailure) return error;
  const { kind, code } = transportErrorOf(error);
  if (NOT_KEPT.has(code)) return notKept();
  return new DriverFailure(kind, `${IMAGE} could not be fetched: ${SENTENCES[kind]}`);
}

/** An answer of the image's server that is no image. */
export const fromStatus = (status: number): DriverFailure =>
  status >= 300 && status < 400
    ? new DriverFailure('redirect', `${IMAGE} could not be fetched: its server redirects elsewhere`)
    : new DriverFailure(
        'answer',
        `${IMAGE} could not be fetched: its server answered ${String(status)}`,
      );

export const tooLarge = (maxBytes: number): DriverFailure =>
  new DriverFailure('too_large', `${IMAGE} is larger than ${String(maxBytes)} bytes`);

export const forbidden = (): DriverFailure =>
  new DriverFailure('settings', `${IMAGE} is at an address from which none is fetched`);
