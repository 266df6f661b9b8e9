import { type BodyKind } from '../../routes/bodies/body-kind.js';
import { type GatewayDependencies } from './dependencies.js';

/** Maximum size of a request's body in bytes; 0 when its route takes none. */
export const bodyLimitOf = (
  { documentBytes }: Pick<GatewayDependencies, 'documentBytes'>,
  { limit, isDocument }: Pick<BodyKind, 'limit' | 'isDocument'>,
): number => (isDocument === true ? Math.min(limit, documentBytes) : limit);
