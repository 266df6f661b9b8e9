import { CHANGE } from '@tenure/contracts';
import { type HistoryEntry, type NodeDocument } from '../../ports/stores.js';
import { linksOf } from './links.js';

type Members = Readonly<Record<string, unknown>>;

export const BIOS_BRIEF: readonly string[] = ['name', 'value'];
/** With the members of the BMC's attribute registry. */
export const BIOS_WHOLE: readonly string[] = [
  ...BIOS_BRIEF,
  'attribute_type',
  'allowable_values',
  'lower_bound',
  'max_length',
  'min_length',
  'read_only',
  'reset_required',
  'unique',
  'upper_bound',
];
/** Members that `fields` may name. */
export const BIOS_MEMBERS: readonly string[] = [...BIOS_WHOLE, 'created_at', 'updated_at', 'links'];

const HIDDEN = '******';

const FIRMWARE = ['component', 'initial_version', 'current_version', 'last_version_flashed'];
const FIRMWARE_ORIGIN = ['vendor', 'model', 'serial'];

export const HISTORY_BRIEF: readonly string[] = ['uuid', 'created_at', 'severity', 'event'];
export const HISTORY_WHOLE: readonly string[] = [
  ...HISTORY_BRIEF,
  'event_type',
  'conductor',
  'user',
];
/** Members that `fields` may name. */
export const HISTORY_MEMBERS: readonly string[] = [...HISTORY_WHOLE, 'links'];

/** The items of a list in a document. */
export function itemsIn({ document }: NodeDocument, list: string): readonly Members[] {
  const items = document[list];
  return Array.isArray(items) ? items.filter(isMembers) : [];
}

/** One BIOS setting; passwords are hidden from every caller. */
export function biosView(
  item: Members,
  document: NodeDocument,
  fields: readonly string[],
  base: string,
): Members {
  const isPassword = item['attribute_type'] === 'Password' && (item['value'] ?? null) !== null;
  const view = {
    ...picked(item, BIOS_WHOLE),
    ...(isPassword && { value: HIDDEN }),
    ...momentsOf(item, document),
  };
  return {
    ...picked(
      view,
      fields.filter((name) => name !== 'links'),
    ),
    links: linksOf(
      base,
      `nodes/${document.node_uuid}/bios/${encodeURIComponent(String(item['name']))}`,
    ),
  };
}

/** @param minor the negotiated microversion */
export const firmwareView = (item: Members, document: NodeDocument, minor: number): Members => ({
  ...momentsOf(item, document),
  ...picked(item, FIRMWARE),
  ...(minor >= CHANGE.firmwareOrigin.minor && picked(item, FIRMWARE_ORIGIN)),
});

/** @param masked fields of the node that are masked for the caller: what they say is masked here too */
export function historyView(
  entry: HistoryEntry,
  fields: readonly string[],
  masked: readonly string[],
  base: string,
): Members {
  const view = {
    ...entry,
    ...(masked.includes('conductor') && { conductor: null }),
    ...(masked.includes('last_error') && { event: null }),
  };
  return {
    ...picked(
      view,
      fields.filter((name) => name !== 'links'),
    ),
    links: linksOf(base, `nodes/${entry.node_uuid}/history/${entry.uuid}`),
  };
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const picked = (item: Members, names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, item[name] ?? null]));

/** When an item was first and last written: its own timestamps, or else those of the whole document. */
const momentsOf = (item: Members, document: NodeDocument): Members => ({
  created_at: item['created_at'] ?? document.created_at,
  updated_at: item['updated_at'] ?? document.updated_at,
});
