import { BadRequestError, NotFoundError, parse } from '@tenure/contracts';
import { contextOf, onlyFrom } from '@tenure/http';
import { Router } from 'express';
import { allWhere } from '../../application/all-where.js';
import { findNode } from '../../application/find-node.js';
import { documentKind, findDocument, keepDocument } from '../../application/node-documents.js';
import { recordEvent } from '../../application/node-history.js';
import { assertLockHolder } from '../../application/node-locks.js';
import { changePortUnderLock, createPortUnderLock } from '../../application/node-ports.js';
import { uuidIn } from '../../domain/field-values.js';
import { type Stores } from '../../ports/stores.js';
import { DocumentBody, EventBody, NewPortBody, PortChangeBody } from '../bodies.js';
import { pathPart, queryOf } from '../internal-query.js';
import { type InternalDependencies } from './internal-nodes.js';

const MAX_ADDRESSES = 64;

/** Internal routes about what belongs to a node (docs/contracts/inventory.md). */
export const internalNodePartRouters = (deps: InternalDependencies): readonly Router[] => [
  portRouter(deps),
  eventRouter(deps),
  documentRouter(deps),
  lookupRouter(deps),
];

/** Ports and portgroups of a node: a conductor reads them whole, and stores its state in them. */
function portRouter({ stores, now }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  for (const section of ['ports', 'portgroups'] as const) {
    const path = `/internal/nodes/:uuid/${section}`;
    router.get(path, onlyFrom('conductor'), async (request, response) => {
      const { uuid } = await findNode(stores, pathPart(request, 'uuid'));
      const rows = await stores.resources[section].list(
        allWhere({ field: 'node_uuid', op: 'eq', value: uuid }),
      );
      response.json({ [section]: rows });
    });
    router.patch(`${path}/:port`, onlyFrom('conductor'), async (request, response) => {
      const {
        holder,
        fence,
        set,
        vif_project_id: vifProjectId,
      } = parse(PortChangeBody, request.body, 'change');
      const change = {
        section,
        nodeUuid: pathPart(request, 'uuid').toLowerCase(),
        uuid: pathPart(request, 'port').toLowerCase(),
        holder,
        fence,
        set,
        vifProjectId,
      };
      response.json(await changePortUnderLock({ stores, now }, change));
    });
  }
  router.post('/internal/nodes/:uuid/ports', onlyFrom('conductor'), async (request, response) => {
    const { pxe_enabled: pxeEnabled, ...body } = parse(NewPortBody, request.body, 'port');
    const nodeUuid = pathPart(request, 'uuid').toLowerCase();
    const port = await createPortUnderLock({ stores, now }, { ...body, pxeEnabled, nodeUuid });
    response.status(201).json(port);
  });
  return router;
}

/** Events on a node that changed nothing of it, such as a BMC that does not answer. */
function eventRouter({ stores, now }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.post('/internal/nodes/:uuid/history', onlyFrom('conductor'), async (request, response) => {
    const event = parse(EventBody, request.body, 'event');
    const user = contextOf(request).subject?.user_id ?? null;
    await recordEvent({ stores, now }, pathPart(request, 'uuid'), { ...event, user });
    response.status(204).end();
  });
  return router;
}

function documentRouter({ stores, now }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  const path = '/internal/nodes/:uuid/documents/:kind';
  router.put(path, onlyFrom('conductor'), async (request, response) => {
    const kind = documentKind(pathPart(request, 'kind'));
    const { holder, fence, document } = parse(DocumentBody, request.body, 'document');
    const node = await findNode(stores, pathPart(request, 'uuid'));
    if ((holder === undefined) !== (fence === undefined))
      throw new BadRequestError('holder and fence go together.');
    if (holder !== undefined && fence !== undefined) assertLockHolder(node, { holder, fence });
    await keepDocument({ stores, now }, node.uuid, kind, document);
    response.status(204).end();
  });
  router.get(path, onlyFrom('conductor'), async (request, response) => {
    const kind = documentKind(pathPart(request, 'kind'));
    const { uuid } = await findNode(stores, pathPart(request, 'uuid'));
    const found = await findDocument(stores, uuid, kind);
    if (found === undefined) throw NotFoundError.of(`Document ${kind} of node`, uuid);
    response.json(found.document);
  });
  return router;
}

/** The nodes that a ramdisk may run on, by its identity or its addresses. */
function lookupRouter({ stores }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/lookup', onlyFrom('conductor'), async (request, response) => {
    const query = queryOf(request, ['addresses', 'node_uuid', 'states']);
    const uuids = await namedBy(stores, query['addresses'], query['node_uuid']);
    if (query['states'] === undefined) throw new BadRequestError('Give states.');
    const nodes = await stores.nodes.list(
      allWhere(
        { field: 'uuid', op: 'in', values: uuids },
        { field: 'provision_state', op: 'in', values: query['states'].split(',') },
      ),
    );
    response.json({ nodes });
  });
  return router;
}

async function namedBy(
  stores: Stores,
  addresses: string | undefined,
  given: string | undefined,
): Promise<readonly string[]> {
  if (addresses === undefined && given === undefined)
    throw new BadRequestError('Give addresses or node_uuid.');
  if (given === undefined) return uuidsByAddresses(stores, addressesIn(addresses));
  const uuid = uuidIn(given);
  return uuid === undefined ? [] : [uuid];
}

/** The nodes that have ports of these addresses. */
async function uuidsByAddresses(
  { resources }: Pick<Stores, 'resources'>,
  addresses: readonly string[],
): Promise<readonly string[]> {
  if (addresses.length === 0) return [];
  const ports = await resources.ports.list(
    allWhere({ field: 'address', op: 'in', values: addresses }),
  );
  const uuids = ports.map(({ node_uuid: uuid }) => uuid);
  return [...new Set(uuids.filter((uuid) => typeof uuid === 'string'))];
}

function addressesIn(text: string | undefined): readonly string[] {
  const addresses = (text ?? '')
    .split(',')
    .map((address) => address.trim().toLowerCase())
    .filter((address) => address !== '');
  if (addresses.length > MAX_ADDRESSES)
    throw new BadRequestError(`At most ${String(MAX_ADDRESSES)} addresses.`);
  return addresses;
}
