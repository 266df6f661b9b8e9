import { Type } from '@sinclair/typebox';
import {
  BadRequestError,
  fieldOf,
  limitIn,
  NODE_FIELDS,
  type NodeRecord,
  parse,
} from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { Router } from 'express';
import {
  importDocument,
  type InventoryDocument,
  type Section,
  SECTIONS,
} from '../../application/import-document.js';
import { type Projected, type RecordStore, type StoredRecord } from '../../ports/record-store.js';
import { type Stores } from '../../ports/stores.js';
import { byReader } from '../by-reader.js';
import { queryOf } from '../internal-query.js';
import { type InternalDependencies } from './internal-nodes.js';

const Rows = Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 50_000 });

const DocumentBody = Type.Object(
  Object.fromEntries(SECTIONS.map((section) => [section, Type.Optional(Rows)])),
  { additionalProperties: false },
);

type Exported = Pick<RecordStore<StoredRecord>, 'findBy' | 'page'>;

// Numbers of the store, and the conductor of the moment, mean nothing elsewhere.
const INTERNAL: ReadonlySet<string> = new Set(['revision', 'tenancy_revision', 'fence']);

/** `POST /internal/import`, which takes larger bodies than every other route. */
export function importRouter({ stores, now }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.post('/internal/import', onlyFrom('cli'), async (request, response) => {
    const document = parse(DocumentBody, request.body, 'inventory document') as InventoryDocument; // the schema was made from the same sections
    response.json({ imported: await importDocument({ stores, now }, document) });
  });
  return router;
}

/** `GET /internal/export`: everything, secrets too, for this is what a restore needs. */
export function exportRouter({ stores }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/export', onlyFrom('cli'), byReader, async (request, response) => {
    const { section, marker, limit } = queryOf(request, ['section', 'marker', 'limit']);
    if (!isSection(section))
      throw new BadRequestError(`section must be one of ${SECTIONS.join(', ')}.`);
    const store = storeOf(stores, section);
    if (marker !== undefined && (await store.findBy('uuid', marker)) === undefined)
      throw new BadRequestError('The marker is not a record of this section.');
    const { rows, more } = await store.page({
      anyOf: null,
      where: [],
      order: { field: null, descending: false },
      after: marker === undefined ? null : { uuid: marker, value: null },
      limit: limitIn(limit),
    });
    response.json({
      rows: rows.map((record) => exportedRow(section, record)),
      next: more ? (rows.at(-1)?.uuid ?? null) : null,
    });
  });
  return router;
}

const isSection = (name: string | undefined): name is Section =>
  (SECTIONS as readonly (string | undefined)[]).includes(name);

function storeOf(stores: Stores, section: Section): Exported {
  const { nodes, allocations, leases, handovers, servers, keypairs } = stores;
  const { claims, nodeDocuments, nodeHistory, resources, quotas } = stores;
  const all: Readonly<Record<Section, Exported>> = {
    ...resources,
    nodes,
    allocations,
    leases,
    handovers,
    servers,
    keypairs,
    claims,
    node_documents: nodeDocuments,
    node_history: nodeHistory,
    quotas,
  };
  return all[section];
}

const exportedRow = (
  section: Section,
  record: Projected<StoredRecord>,
): Readonly<Record<string, unknown>> =>
  section === 'nodes'
    ? {
        ...Object.fromEntries(NODE_FIELDS.map(({ name }) => [name, fieldOf(record, name)])),
        ...custodyIn(record),
      }
    : Object.fromEntries(Object.entries(record).filter(([name]) => !INTERNAL.has(name)));

/** The custody members of a node between its tenancies, if it has any. */
const custodyIn = ({
  handover_uuid = null,
  custody,
}: Projected<StoredRecord> & Pick<NodeRecord, 'handover_uuid' | 'custody'>): Readonly<
  Record<string, unknown>
> => ({
  ...(handover_uuid !== null && { handover_uuid }),
  ...(Object.keys(custody ?? {}).length > 0 && { custody }),
});
