import { isJsonObject, type NodeRecord } from '@tenure/contracts';
import { type Fields, membersOf } from './members.js';

/** The capabilities that the agent reads: how the machine boots, and which partition table its disk has. */
const CAPABILITIES: ReadonlySet<string> = new Set(['boot_mode', 'disk_label', 'secure_boot']);

/** The members that the agent reads of the node that a lookup returns. Everything else comes with its commands. */
const READ = {
  properties: ['root_device', 'capabilities'],
  instance_info: ['root_device', 'capabilities', 'deploy_boot_mode'],
  driver_internal_info: ['deploy_boot_mode'],
} as const;

/**
 * The node as a lookup returns it, to anyone who has a MAC address or the uuid of a machine that waits for its agent: the
 * uuid, and the hints about disk and boot mode that the agent reads (ironic-python-agent 13), no image, no config drive.
 */
export const lookupView = (node: NodeRecord): Fields => ({
  uuid: node.uuid,
  properties: picked(node.properties, READ.properties),
  instance_info: picked(node.instance_info, READ.instance_info),
  driver_internal_info: picked(node.driver_internal_info, READ.driver_internal_info),
});

const picked = (fields: unknown, names: readonly string[]): Fields =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = membersOf(fields)[name];
      if (value === undefined) return [];
      return [[name, name === 'capabilities' ? readCapabilities(value) : value]];
    }),
  );

const readCapabilities = (capabilities: unknown): Fields =>
  Object.fromEntries(
    Object.entries(parsed(capabilities)).filter(([name]) => CAPABILITIES.has(name)),
  );

function parsed(capabilities: unknown): Fields {
  if (isJsonObject(capabilities)) return capabilities;
  if (typeof capabilities !== 'string') return {};
  const json = jsonIn(capabilities);
  return isJsonObject(json) ? json : pairsIn(capabilities);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `name:value,name:value`, which is how operators write capabilities. */
const pairsIn = (text: string): Fields =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const colon = pair.indexOf(':');
      return colon < 1 ? [] : [[pair.slice(0, colon).trim(), pair.slice(colon + 1).trim()]];
    }),
  );
