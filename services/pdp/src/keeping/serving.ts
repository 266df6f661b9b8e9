import { type ActivePolicy, type VerifiedPolicy } from '../policy-loader.js';

/** The policy in service and how it came there. */
export interface Serving {
  readonly policy: ActivePolicy;
  readonly verified: VerifiedPolicy;
  readonly source: string;
  readonly since: Date;
}
