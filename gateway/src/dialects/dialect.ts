import { type IncomingHttpHeaders } from 'node:http';
import { type AppError } from '@tenure/contracts';

/** The APIs that are served, as the catalog of Keystone calls their services. */
export type Api = 'baremetal' | 'compute';

/** The microversion of one request. */
export interface Negotiated {
  readonly minor: number;
  /** Such as `1.65`; undefined when only the upstream knows which it is. */
  readonly text: string | undefined;
}

/** How one of the APIs speaks: everything that differs between them, and nothing that decides. */
export interface Dialect {
  readonly api: Api;
  readonly errorBody: (error: AppError) => unknown;
  /**
   * Version headers of an answer.
   * @param version undefined until it is negotiated
   */
  readonly versionHeaders: (version: string | undefined) => Readonly<Record<string, string>>;
  /** Every header that says what the logs call a request. */
  readonly requestIdHeaders: readonly string[];
  /** False where a Nova that is not part of Tenure answers: it tells its versions itself, and knows nothing of our filters. */
  readonly isOurs: boolean;
  /** @throws AppError 400 or 406 */
  readonly negotiate: (headers: IncomingHttpHeaders) => Negotiated;
}
