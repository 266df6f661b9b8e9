import {
  BadRequestError,
  type CallContext,
  isJsonObject,
  type NodeRecord,
  NotFoundError,
  timestampOf,
} from '@tenure/contracts';
import { factsOf, propertiesWith } from '../domain/inspection.js';
import { introspectionStateOf, wasIntrospected } from '../domain/introspection.js';
import { type Fields } from '../domain/provision/fields.js';
import { plainOrder } from '../domain/provision/order.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { type ProvisionWork } from './provision-work.js';
import { type SharedParts } from './shared-parts.js';
import { orRelease } from './under-lock.js';

export interface IntrospectionPage {
  readonly limit: number;
  readonly marker: string | undefined;
  /** As ironic-inspector calls them; undefined for all. */
  readonly states: readonly string[] | undefined;
}

/** Inspection as ironic-inspector's API represents it. Nodes are named by uuid or name. */
export interface IntrospectionWork {
  /** At most `limit + 1` introspected nodes, so that the caller learns whether there are more. */
  readonly list: (context: CallContext, page: IntrospectionPage) => Promise<readonly NodeRecord[]>;
  readonly status: (context: CallContext, ident: string) => Promise<NodeRecord>;
  readonly start: (context: CallContext, ident: string) => Promise<void>;
  readonly abort: (context: CallContext, ident: string) => Promise<void>;
  /** `{inventory, plugin_data}` as stored. */
  readonly data: (context: CallContext, ident: string) => Promise<Fields>;
  /** Takes the node's properties from the stored data once more, or from these, which are then stored. */
  readonly reapply: (
    context: CallContext,
    ident: string,
    given: Fields | undefined,
  ) => Promise<void>;
}

export interface IntrospectionWorkOptions extends Pick<SharedParts, 'inventory' | 'locks' | 'now'> {
  readonly provision: ProvisionWork;
}

const PAGE = 500;

export function createIntrospectionWork({
  inventory,
  locks,
  provision,
  now,
}: IntrospectionWorkOptions): IntrospectionWork {
  const dataOf = async (context: CallContext, { uuid }: NodeRecord): Promise<Fields> => {
    const found = await inventory.getDocument(context, uuid, 'inventory');
    if (found === undefined)
      throw NotFoundError.part(`Introspection data for node ${uuid} could not be found.`);
    return found;
  };
  const order = async (context: CallContext, ident: string, target: string): Promise<void> => {
    const { uuid } = await inventory.getNode(context, ident);
    await provision.accept(context, uuid, plainOrder(target));
  };
  return {
    list: (context, page) => introspectedNodes(inventory, context, page),
    status: async (context, ident) => {
      const node = await inventory.getNode(context, ident);
      if (!wasIntrospected(node))
        throw NotFoundError.part(`Introspection for node ${node.uuid} could not be found.`);
      return node;
    },
    start: (context, ident) => order(context, ident, 'inspect'),
    abort: (context, ident) => order(context, ident, 'abort'),
    data: async (context, ident) => dataOf(context, await inventory.getNode(context, ident)),
    reapply: async (context, ident, given) => {
      const node = await inventory.getNode(context, ident);
      const document = given === undefined ? await dataOf(context, node) : asDocument(given);
      const facts = factsOf(inventoryIn(document));
      const lock = await locks.take(context, node.uuid);
      await orRelease(lock, async () => {
        const change = { ...lock.proof, document };
        if (given !== undefined)
          await inventory.putDocument(lock.context(), node.uuid, 'inventory', change);
      });
      await lock.release({
        properties: propertiesWith(lock.node(), facts),
        inspection_finished_at: timestampOf(now()),
      });
    },
  };
}

async function introspectedNodes(
  inventory: InventoryPort,
  context: CallContext,
  { limit, marker, states }: IntrospectionPage,
): Promise<readonly NodeRecord[]> {
  const isWanted = (node: NodeRecord): boolean =>
    wasIntrospected(node) && states?.includes(introspectionStateOf(node)) !== false;
  const found: NodeRecord[] = [];
  let after = marker;
  for (;;) {
    const seen = await inventory.listNodes(context, {
      limit: PAGE,
      ...(after !== undefined && { marker: after }),
    });
    found.push(...seen.filter(isWanted));
    after = seen.at(-1)?.uuid;
    if (found.length > limit || seen.length < PAGE) return found.slice(0, limit + 1);
  }
}

const asDocument = ({ inventory, ...plugins }: Fields): Fields => ({
  inventory,
  plugin_data: plugins,
});

function inventoryIn(data: Fields): Fields {
  const { inventory } = data;
  if (!isJsonObject(inventory))
    throw new BadRequestError('The introspection data hold no inventory.');
  return inventory;
}
