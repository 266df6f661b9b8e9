import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type Route } from '../route.js';
import { keys, rowsOf } from './rows.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const WITHOUT_BODY: readonly string[] = ['GET', 'DELETE'];

/** A vendor's methods on a node or a driver: the list of them, and their calls with every verb. */
export function vendorPassthru({
  path,
  action,
  resource,
  of,
}: Pick<Route, 'path' | 'action' | 'resource'> & {
  /** Target of the methods, for the summary: `a node`. */
  readonly of: string;
}): readonly Route[] {
  const row = rowsOf({ upstream: 'conductor', resource });
  return [
    row({
      method: 'GET',
      path: `${path}/methods`,
      summary: `List the methods of the vendor of ${of}`,
      answer: ANSWER.vendorMethods,
      action,
    }),
    ...METHODS.flatMap((method) => {
      const call = {
        method,
        answer: ANSWER.vendor,
        action,
        body: WITHOUT_BODY.includes(method) ? BODY.none : BODY.vendor,
      };
      return [
        row({
          ...call,
          path,
          summary: `Call a method of the vendor of ${of} with ${method}`,
          query: keys('method'),
        }),
        // As python-ironicclient sends it, with the name in the path.
        row({
          ...call,
          path: `${path}/{method}`,
          summary: `Call a method of the vendor of ${of}, named in the path, with ${method}`,
        }),
      ];
    }),
  ];
}
