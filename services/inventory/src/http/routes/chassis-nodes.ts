import { contextOf } from '@tenure/http';
import { Router } from 'express';
import { findCurrent } from '../../application/resources/find-resource.js';
import { type WriteDependencies } from '../../application/write-nodes.js';
import { CHASSIS } from '../../domain/kinds/chassis.js';
import { assertComparable } from '../../domain/visibility.js';
import { byReader } from '../by-reader.js';
import { pathPart } from '../internal-query.js';
import { answerNodeList } from '../node-lists.js';

/** `/v1/chassis/{id}/nodes`: the list of nodes, narrowed. */
export function chassisNodesRouter(deps: WriteDependencies): Router {
  const router = Router({ caseSensitive: true });
  for (const suffix of ['', '/detail'])
    router.get(`/v1/chassis/:ident/nodes${suffix}`, byReader, async (request, response) => {
      const context = contextOf(request);
      // Checked before the chassis is looked up: a caller that may not see the chassis of nodes does not learn whether
      // it exists either.
      assertComparable(['chassis_uuid'], context.obligations);
      const { record } = await findCurrent(
        deps.stores,
        CHASSIS,
        pathPart(request, 'ident'),
        context,
      );
      await answerNodeList(deps, request, response, {
        path: `/v1/chassis/${record.uuid}/nodes${suffix}`,
        whole: suffix !== '',
        below: [{ field: 'chassis_uuid', op: 'eq', value: record.uuid }],
      });
    });
  return router;
}
