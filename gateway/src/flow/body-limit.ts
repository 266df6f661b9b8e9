import { type BodyKind } from '../routes/bodies/body-kind.js';
import { type GatewayDependencies } from './dependencies.js';

/** Bytes that a request may have in its body; 0 when its route takes none. */
export const bodyLimitOf = (
  { documentBytes }: Pick<GatewayDependencies, 'documentBytes'>,
  { limit, isDocument }: Pick<BodyKind, 'limit' | 'isDocument'>,
): number => (isDocument === true ? Math.min(limit, documentBytes) : limit);
