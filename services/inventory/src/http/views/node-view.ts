import {
  CHANGE,
  fieldOf,
  NODE_CATALOGUE,
  NODE_LINK_MEMBERS,
  nodeField,
  type NodeRecord,
  withoutSecrets,
} from '@tenure/contracts';
import { CONDUCTOR_FIELDS } from '../../domain/conductors.js';
import { NODE_FILTER_FIELDS } from '../../domain/visibility.js';
import { type Projected } from '../../ports/record-store.js';
import { linksOf } from './links.js';
import { momentView } from './moments.js';

export interface ViewOptions {
  /** For example `http://127.0.0.1:6385`. */
  readonly base: string;
  /** The negotiated microversion. */
  readonly minor: number;
  readonly masked: ReadonlySet<string>;
  /** Hostname of the live conductor that serves the node. */
  readonly conductor: string | null;
}

/** A node with at least the fields in `nodeRecordFields`. */
type ViewedNode = Projected<NodeRecord>;

const STATES = [
  'console_enabled',
  'last_error',
  'power_state',
  'provision_state',
  'target_power_state',
  'target_provision_state',
  'provision_updated_at',
  'raid_config',
  'target_raid_config',
  'boot_mode',
  'secure_boot',
] as const;

/**
 * The fields of a node's record that a list row needs: for its members, and for the masks.
 * @param members requested members; all when undefined
 * @returns undefined for the whole record
 */
export const nodeRecordFields = (
  members: readonly string[] | undefined,
): readonly string[] | undefined =>
  members && [
    ...new Set([
      ...NODE_FILTER_FIELDS,
      ...members
        .filter((name) => !Object.hasOwn(NODE_LINK_MEMBERS, name))
        .flatMap((name) => (name === 'conductor' ? CONDUCTOR_FIELDS : [name])),
    ]),
  ];

/**
 * A node as its caller may see it. Get, list, detail and the responses to POST and PATCH all use it.
 * @param fields requested members; all when undefined
 */
export const nodeView = (
  node: ViewedNode,
  options: ViewOptions,
  fields?: readonly string[],
): Readonly<Record<string, unknown>> =>
  viewWith(
    node,
    fields === undefined
      ? NODE_CATALOGUE.members
      : [...fields.filter((name) => name !== 'links'), 'links'],
    options,
  );

/** `GET /v1/nodes/{id}/states`, masked as the node itself is. */
export const statesView = (
  node: ViewedNode,
  options: ViewOptions,
): Readonly<Record<string, unknown>> => viewWith(node, STATES, options);

const viewWith = (
  node: ViewedNode,
  members: readonly string[],
  options: ViewOptions,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    members
      .filter((member) => (NODE_CATALOGUE.sinceOf(member) ?? Infinity) <= options.minor)
      .map((member) => [
        member,
        Object.hasOwn(NODE_LINK_MEMBERS, member)
          ? linksTo(options.base, node.uuid, member)
          : fieldView(node, member, options),
      ]),
  );

const linksTo = (base: string, uuid: string, member: string) =>
  linksOf(base, `nodes/${uuid}${member === 'links' ? '' : `/${member}`}`);

function fieldView(
  node: ViewedNode,
  name: string,
  { minor, conductor, masked }: ViewOptions,
): unknown {
  const value = name === 'conductor' ? conductor : fieldOf(node, name);
  if (masked.has(name)) return maskedValue(name, value);
  if (name === 'provision_state' || name === 'target_provision_state')
    return stateView(value, minor);
  return nodeField(name)?.kind === 'timestamp' ? momentView(value) : withoutSecrets(name, value);
}

function maskedValue(name: string, value: unknown): unknown {
  if (name === 'reservation') return value !== null;
  return nodeField(name)?.kind === 'object' ? {} : null;
}

function stateView(state: unknown, minor: number): unknown {
  if (state === 'available' && minor < CHANGE.availableState.minor) return null;
  return state === 'inspect wait' && minor < CHANGE.inspectWaitState.minor ? 'inspecting' : state;
}
