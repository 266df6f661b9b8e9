import { BAREMETAL } from './baremetal.js';
import { type Dialect } from './dialect.js';

/** The first segment of every path of the compute API. */
const COMPUTE_SEGMENT = 'v2.1';

/** The dialect in which a request is answered, by the first segment of its path. */
export type DialectOf = (segment: string | undefined) => Dialect;

/** @param compute dialect of the compute API: of Tenure's own service, or of a real Nova */
export const createDialects =
  (compute: Dialect): DialectOf =>
  (segment) =>
    segment === COMPUTE_SEGMENT ? compute : BAREMETAL;

/** The first segment of an unchecked target. It only selects the form of error bodies. */
export const firstSegment = (target: string | undefined): string | undefined =>
  /^\/([^/?#]*)/u.exec(target ?? '')?.[1];
