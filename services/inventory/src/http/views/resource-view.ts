import { fieldOf, withoutSecrets } from '@tenure/contracts';
import { type AnyKind } from '../../domain/kinds/resource-kind.js';
import { type Projected } from '../../ports/record-store.js';
import { type ResourceRecord } from '../../ports/resource-records.js';
import { linksOf } from './links.js';
import { momentView } from './moments.js';

export interface ResourceViewOptions {
  /** For example `http://127.0.0.1:6385`. */
  readonly base: string;
  /** The negotiated microversion. */
  readonly minor: number;
  readonly masked: ReadonlySet<string>;
}

const EMPTY_OF: Readonly<Record<string, unknown>> = {
  object: {},
  string_list: [],
  object_list: [],
};

/**
 * The fields of a record that a list row needs: for its members, and the node for the masks.
 * @param members requested members; all when undefined
 * @returns undefined for the whole record
 */
export const resourceRecordFields = (
  { catalogue: { linkMembers } }: AnyKind,
  members: readonly string[] | undefined,
): readonly string[] | undefined =>
  members && [
    ...new Set(['node_uuid', ...members.filter((name) => !Object.hasOwn(linkMembers, name))]),
  ];

/**
 * A record as its caller may see it. Get, list, detail and the responses to POST and PATCH all use it.
 * @param fields requested members; all when undefined
 */
export function resourceView(
  kind: AnyKind,
  record: Projected<ResourceRecord>,
  { base, minor, masked }: ResourceViewOptions,
  fields?: readonly string[],
): Readonly<Record<string, unknown>> {
  const { members, linkMembers, sinceOf } = kind.catalogue;
  const viewWith =
    fields === undefined ? members : [...fields.filter((name) => name !== 'links'), 'links'];
  const below = (member: string): string => (member === 'links' ? '' : `/${member}`);
  return Object.fromEntries(
    viewWith
      .filter((member) => (sinceOf(member) ?? Infinity) <= minor)
      .map((member) => [
        member,
        Object.hasOwn(linkMembers, member)
          ? linksOf(base, `${kind.path}/${record.uuid}${below(member)}`)
          : fieldView(kind, record, member, masked),
      ]),
  );
}

function fieldView(
  { catalogue, secretObjects }: AnyKind,
  record: Projected<ResourceRecord>,
  name: string,
  masked: ReadonlySet<string>,
): unknown {
  const kind = catalogue.field(name)?.kind ?? '';
  if (masked.has(name)) return EMPTY_OF[kind] ?? null;
  const value = fieldOf(record, name);
  return kind === 'timestamp' ? momentView(value) : withoutSecrets(name, value, secretObjects);
}
