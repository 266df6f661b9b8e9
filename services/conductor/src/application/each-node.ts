import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { type InventoryPort, type NodeChoice } from '../ports/inventory-port.js';

const PAGE = 500;

/**
 * Visits every node, or every one of a choice, page by page, so that a large fleet is never in memory at once.
 */
export async function eachNode(
  inventory: InventoryPort,
  context: CallContext,
  visit: (node: NodeRecord) => Promise<void> | void,
  choice: NodeChoice = {},
): Promise<void> {
  let marker: string | undefined;
  for (;;) {
    const page = await inventory.listNodes(context, {
      limit: PAGE,
      ...(marker !== undefined && { marker }),
      ...choice,
    });
    for (const node of page) await visit(node);
    marker = page.at(-1)?.uuid;
    if (page.length < PAGE) return;
  }
}
