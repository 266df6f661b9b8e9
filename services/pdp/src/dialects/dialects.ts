import { AUTHZEN } from './authzen.js';
import { type Dialect } from './dialect.js';
import { EXT_AUTHZ } from './ext-authz.js';
import { OSLO_POLICY } from './oslo-policy.js';

/** Every protocol for questions besides OPA's Data API. */
export const DIALECTS: readonly Dialect[] = [AUTHZEN, EXT_AUTHZ, OSLO_POLICY];
