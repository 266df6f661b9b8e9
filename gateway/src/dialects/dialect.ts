import { type IncomingHttpHeaders } from 'node:http';
import { type AppError } from '@tenure/contracts';

/** The served APIs, by their service types in Keystone's catalog. */
export type Api = 'baremetal' | 'compute';

/** The microversion of one request. */
export interface Negotiated {
  readonly minor: number;
  /** Such as `1.65`; undefined when only the upstream knows which it is. */
  readonly text: string | undefined;
}

/** The differences between the APIs in headers and error bodies. They never affect decisions. */
export interface Dialect {
  readonly api: Api;
  readonly errorBody: (error: AppError) => unknown;
  /**
   * Version headers of an answer.
   * @param version undefined until it is negotiated
   */
  readonly versionHeaders: (version: string | undefined) => Readonly<Record<string, string>>;
  /** The headers that contain the request id. */
  readonly requestIdHeaders: readonly string[];
  /** False for a real Nova, which sets its version headers itself and does not apply Tenure's filters. */
  readonly isOurs: boolean;
  /** @throws AppError 400 or 406 */
  readonly negotiate: (headers: IncomingHttpHeaders) => Negotiated;
}
