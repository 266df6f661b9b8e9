import { type Identity } from '@tenure/tokens';
import { type RevocationEvent } from '../revocation/revocation-event.js';

/** Revocations since a time, and Keystone's own clock (seconds since the epoch) when it answered. */
interface RevocationPage {
  readonly events: readonly RevocationEvent[];
  readonly asOf: number;
}

/** Keystone, asked under the gateway's own credential. */
export interface Keystone {
  /**
   * @param allowExpired also a token that has expired, for as long afterwards as Keystone allows
   * @returns undefined when Keystone does not know the token, or knows it as expired or revoked
   * @throws UnavailableError when Keystone gave no answer that can be relied on in time
   */
  readonly validate: (token: string, allowExpired: boolean) => Promise<Identity | undefined>;
  /**
   * @param since seconds since the epoch
   * @throws UnavailableError
   */
  readonly revocations: (since: number) => Promise<RevocationPage>;
  /** True for a moment after several calls in a row failed: asking again would only cost time. */
  readonly isDown: () => boolean;
  readonly close: () => Promise<void>;
}
