import { limitIn } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { Router } from 'express';
import { findNode } from '../../application/find-node.js';
import { handoversOf } from '../../application/handovers/find-handovers.js';
import { custodyHeadOf } from '../../domain/custody-chain.js';
import { type CustodySigner } from '../../ports/custody-signer.js';
import { type Stores } from '../../ports/stores.js';
import { byReader } from '../by-reader.js';
import { pathPart, queryOf } from '../internal-query.js';

export interface CustodyDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'handovers'>;
  readonly signer: CustodySigner;
}

/** Whole records, including sealed values, from which the command line verifies the custody record. */
export function internalCustodyRouter({ stores, signer }: CustodyDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/custody/keys', onlyFrom('cli'), (_request, response) => {
    response.json({ keys: signer.publicKeys });
  });
  router.get('/internal/custody/nodes', onlyFrom('cli'), byReader, async (request, response) => {
    const { marker, limit } = queryOf(request, ['marker', 'limit']);
    const { rows } = await stores.nodes.page({
      anyOf: null,
      where: [],
      order: { field: null, descending: false },
      after: marker === undefined ? null : { uuid: marker, value: null },
      limit: limitIn(limit),
      fields: ['name'],
    });
    response.json({ nodes: rows.map(({ uuid, name }) => ({ uuid, name })) });
  });
  router.get(
    '/internal/nodes/:ident/handovers',
    onlyFrom('cli'),
    byReader,
    async (request, response) => {
      const { marker, limit } = queryOf(request, ['marker', 'limit']);
      const node = await findNode(stores, pathPart(request, 'ident'));
      const handovers = await handoversOf(stores, node, { marker, limit: limitIn(limit) });
      response.json({
        node: { uuid: node.uuid, name: node.name },
        head: custodyHeadOf(node),
        handover_uuid: node.handover_uuid,
        handovers,
      });
    },
  );
  return router;
}
