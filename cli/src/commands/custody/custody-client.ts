import { Type } from '@sinclair/typebox';
import { CustodyHead, type HandoverRecord, parse } from '@tenure/contracts';
import { allRows, type InventoryClient, type InventoryPage } from '../inventory-client.js';
import { isHandover } from './handover-shape.js';

const PAGE_ROWS = 200;

const orNull = <S extends ReturnType<typeof Type.String>>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const NodeName = Type.Object({ uuid: Type.String(), name: orNull(Type.String()) });

const CustodyPage = Type.Object({
  node: NodeName,
  head: CustodyHead,
  handover_uuid: orNull(Type.String()),
  handovers: Type.Array(Type.Object({ uuid: Type.String() }, { additionalProperties: true })),
});
const NodePage = Type.Object({ nodes: Type.Array(NodeName) });
const Keys = Type.Object({ keys: Type.Array(Type.String()) });

/** The custody record of one node. */
export interface NodeRecords {
  readonly node: { readonly uuid: string; readonly name: string | null };
  readonly head: CustodyHead;
  /** The handover that the node still waits for. */
  readonly open: string | null;
  readonly records: readonly HandoverRecord[];
  /** Uuids of malformed records. */
  readonly malformed: readonly string[];
}

const QUERY = { limit: String(PAGE_ROWS) };

/** @throws Error when there is no such node, or the inventory does not answer */
export async function recordsOf(client: InventoryClient, ident: string): Promise<NodeRecords> {
  const route = `/internal/nodes/${encodeURIComponent(ident)}/handovers`;
  let first: Pick<NodeRecords, 'node' | 'head' | 'open'> | undefined;
  const rows = await allRows(client, route, QUERY, (answer) => {
    const page = parse(CustodyPage, answer, 'custody record');
    const { handovers, node, head, handover_uuid: open } = page;
    // Of the first page: with a head newer than the rows, some would seem to be missing.
    first ??= { node, head, open };
    return pageOf(handovers);
  });
  if (first === undefined) throw new Error('the inventory gave no custody record');
  const records = rows.filter(isHandover);
  const malformed = rows.filter((row) => !isHandover(row)).map(({ uuid }) => uuid);
  return { ...first, records, malformed };
}

/** Uuids of all nodes. */
export async function nodesOf(client: InventoryClient): Promise<readonly string[]> {
  const nodes = await allRows(client, '/internal/custody/nodes', QUERY, (answer) =>
    pageOf(parse(NodePage, answer, 'list of nodes').nodes),
  );
  return nodes.map(({ uuid }) => uuid);
}

/** The public keys that the inventory has, in PEM form. */
export const publicKeysIn = async ({ call }: InventoryClient): Promise<string> =>
  parse(Keys, await call('GET', '/internal/custody/keys'), 'custody keys').keys.join('\n');

/** A page that is full may have rows behind it, which follow its last one. */
const pageOf = <Row extends { readonly uuid: string }>(
  rows: readonly Row[],
): InventoryPage<Row> => ({
  rows,
  next: rows.length < PAGE_ROWS ? null : (rows.at(-1)?.uuid ?? null),
});
