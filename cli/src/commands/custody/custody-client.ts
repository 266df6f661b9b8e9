import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { CustodyHead, type HandoverRecord, parse } from '@tenure/contracts';
import { type InventoryClient, type InventoryOptions, openInventory } from '../inventory-client.js';
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
  /** Uuids of records that do not have the form of one. */
  readonly malformed: readonly string[];
}

/** Reads the custody record through the inventory's internal routes. */
export interface CustodyClient {
  /** @throws Error when there is no such node, or the inventory does not answer */
  readonly recordsOf: (ident: string) => Promise<NodeRecords>;
  /** Uuids of all nodes. */
  readonly nodes: () => Promise<readonly string[]>;
  /** The public keys that the inventory has, in PEM form. */
  readonly publicKeys: () => Promise<string>;
}

const afterMarker = (marker: string | undefined): string =>
  marker === undefined ? '' : `&marker=${encodeURIComponent(marker)}`;

/** All pages of a list, each fetched after the last row of the one before. */
const allPages = async <T>(
  page: (after: string) => Promise<readonly T[]>,
  uuidOf: (row: T) => string,
): Promise<readonly T[]> => {
  const rows: T[] = [];
  for (;;) {
    const last = rows.at(-1);
    const fetched = await page(afterMarker(last === undefined ? undefined : uuidOf(last)));
    rows.push(...fetched);
    if (fetched.length < PAGE_ROWS) return rows;
  }
};

const recordsOf =
  ({ call }: InventoryClient): CustodyClient['recordsOf'] =>
  async (ident) => {
    const path = `/internal/nodes/${encodeURIComponent(ident)}/handovers`;
    let first: Pick<NodeRecords, 'node' | 'head' | 'open'> | undefined;
    const rows = await allPages(
      async (after) => {
        const target = `${path}?limit=${String(PAGE_ROWS)}${after}`;
        const {
          handovers,
          node,
          head,
          handover_uuid: open,
        } = parse(CustodyPage, await call('GET', target), 'custody record');
        // Of the first page: a head that is newer than the rows would say that some are missing.
        first ??= { node, head, open };
        return handovers;
      },
      ({ uuid }) => uuid,
    );
    if (first === undefined) throw new Error('the inventory gave no custody record');
    const records = rows.filter(isHandover);
    const malformed = rows.filter((row) => !isHandover(row)).map(({ uuid }) => uuid);
    return { ...first, records, malformed };
  };

const clientOver = (client: InventoryClient): CustodyClient => ({
  recordsOf: recordsOf(client),
  nodes: async () => {
    const rows = await allPages(
      async (after) => {
        const target = `/internal/custody/nodes?limit=${String(PAGE_ROWS)}${after}`;
        return parse(NodePage, await client.call('GET', target), 'list of nodes').nodes;
      },
      ({ uuid }) => uuid,
    );
    return rows.map(({ uuid }) => uuid);
  },
  publicKeys: async () =>
    parse(Keys, await client.call('GET', '/internal/custody/keys'), 'custody keys').keys.join('\n'),
});

/** Runs something with a client, which is closed afterwards. */
export const withCustody = async <T>(
  options: InventoryOptions,
  run: (client: CustodyClient) => Promise<T>,
): Promise<T> => {
  const client = openInventory(options, `req-${randomUUID()}`);
  try {
    return await run(clientOver(client));
  } finally {
    await client.close();
  }
};
