import { Type } from '@sinclair/typebox';
import { parse } from '@tenure/contracts';
import { type JsonObject } from '@tenure/policy';
import { type Environment } from '@tenure/process';
import { type Command } from 'commander';
import { type InventoryOptions, withInventory } from '../../inventory-client.js';
import { dataDirOption, inventoryUrlOption } from '../../inventory-options.js';

const Id = Type.Union([Type.String({ maxLength: 255 }), Type.Null()]);
const Tenancy = Type.Object({ uuid: Type.String(), owner: Id, lessee: Id });

const TEXTS: readonly string[] = ['owner', 'lessee', 'creator', 'type'];

const READERS: Readonly<Record<string, (value: string) => unknown>> = {
  ...Object.fromEntries(
    TEXTS.map((name) => [
      name,
      (value: string) => (value === '' || value === 'null' ? null : value),
    ]),
  ),
  public: (value) => value === 'true',
};

/** Adds the flags that say where nodes are looked up. */
export const addTargetOptions = (command: Command, env: Environment): Command =>
  command.addOption(inventoryUrlOption(env)).addOption(dataDirOption(env));

/**
 * The resource of a question, without its type: pairs as `owner=p1,lessee=p2`, or a node by uuid or name.
 * @throws Error for pairs that are no attribute, AppError when the inventory has no such node or does not answer
 */
export const targetNamed = (
  text: string,
  options: InventoryOptions,
): Promise<JsonObject> | JsonObject =>
  text.includes('=')
    ? Object.fromEntries(text.split(',').map(memberOfPair))
    : lookedUp(text, options);

function memberOfPair(pair: string): readonly [string, unknown] {
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(at, 0));
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (read === undefined)
    throw new Error(
      `"${pair}" is no attribute of a resource; use owner=…,lessee=…,creator=…,public=true,type=…`,
    );
  return [name, read(pair.slice(at + 1))];
}

const lookedUp = (ident: string, options: InventoryOptions): Promise<JsonObject> =>
  withInventory(options, async (inventory) => {
    const target = `/internal/tenancy/nodes/${encodeURIComponent(ident)}`;
    const { owner, lessee } = parse(Tenancy, await inventory.call('GET', target), 'tenancy');
    return { owner, lessee };
  });
