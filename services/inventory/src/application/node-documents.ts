import { type TSchema, Type } from '@sinclair/typebox';
import { NotFoundError, parse, timestampOf } from '@tenure/contracts';
import { type NodeDocument, type Stores } from '../ports/stores.js';

const Members = Type.Object({}, { additionalProperties: true });
const Name = Type.String({ minLength: 1, maxLength: 255 });
const listOf = (name: string, key: string): TSchema =>
  Type.Object(
    {
      [name]: Type.Array(Type.Object({ [key]: Name }, { additionalProperties: true }), {
        maxItems: 10_000,
      }),
    },
    { additionalProperties: false },
  );

const SCHEMAS = {
  bios: listOf('settings', 'name'),
  firmware: listOf('components', 'component'),
  inventory: Type.Object(
    { inventory: Members, plugin_data: Type.Optional(Type.Union([Members, Type.Null()])) },
    { additionalProperties: false },
  ),
} as const satisfies Record<string, TSchema>;

/** Kinds of documents that are kept of a node, one of each. */
export type DocumentKind = keyof typeof SCHEMAS;

export interface DocumentDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'nodeDocuments'>;
  readonly now: () => Date;
}

/** @throws NotFoundError for a kind that there is not */
export function documentKind(name: string): DocumentKind {
  if (!Object.hasOwn(SCHEMAS, name)) throw NotFoundError.of('Kind of document', name.slice(0, 64));
  return name as DocumentKind; // just looked up
}

/** The document of a node, if it has one. */
export const findDocument = (
  { nodeDocuments }: Pick<Stores, 'nodeDocuments'>,
  nodeUuid: string,
  kind: DocumentKind,
): Promise<NodeDocument | undefined> => nodeDocuments.findBy('uuid', keyOf(nodeUuid, kind));

/**
 * Stores a document of a node, which replaces the one before.
 * @throws BadRequestError when it is not of its kind; NotFoundError when there is no such node
 */
export async function keepDocument(
  { stores, now }: DocumentDependencies,
  nodeUuid: string,
  kind: DocumentKind,
  content: unknown,
): Promise<void> {
  const document = parse(SCHEMAS[kind], content, kind) as Readonly<Record<string, unknown>>; // every schema is an object's
  const uuid = keyOf(nodeUuid, kind);
  const moment = timestampOf(now());
  const fresh = {
    uuid,
    node_uuid: nodeUuid,
    document,
    created_at: moment,
    updated_at: null,
    revision: 0,
  };
  await stores.nodeDocuments.merge([fresh], (existing, incoming, epoch) =>
    existing === undefined
      ? { ...incoming, revision: epoch }
      : {
          ...incoming,
          created_at: existing.created_at,
          updated_at: moment,
          revision: existing.revision + 1,
        },
  );
  if ((await stores.nodes.findBy('uuid', nodeUuid)) !== undefined) return;
  // The node was deleted meanwhile, perhaps after its other documents: this one must not be left behind.
  const orphan = await stores.nodeDocuments.findBy('uuid', uuid);
  if (orphan !== undefined)
    await stores.nodeDocuments.remove(uuid, orphan.revision, orphan.revision);
  throw NotFoundError.of('Node', nodeUuid);
}

const keyOf = (nodeUuid: string, kind: DocumentKind): string => `${nodeUuid}:${kind}`;
