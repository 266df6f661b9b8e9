import { OWNER_SINCE } from '../domain/allocation-request.js';
import { type AllocationRow } from '../ports/allocation-store.js';

/** Members of a shown allocation, in the order in which they are shown. */
export const ALLOCATION_MEMBERS = [
  'uuid',
  'created_at',
  'updated_at',
  'candidate_nodes',
  'extra',
  'last_error',
  'name',
  'owner',
  'resource_class',
  'state',
  'traits',
  'links',
  'node_uuid',
] as const;
export type AllocationMember = (typeof ALLOCATION_MEMBERS)[number];

/** The fields of an allocation that these members need; undefined: all fields. */
export const recordFieldsOf = (
  members: readonly AllocationMember[] | undefined,
): readonly Exclude<AllocationMember, 'links'>[] | undefined =>
  members && ['uuid', ...members.filter((name) => name !== 'links' && name !== 'uuid')];

/** What a view depends on besides the record. */
export interface ViewOptions {
  readonly minor: number;
  readonly publicBase: string;
  readonly masked: readonly string[];
  readonly fields?: readonly AllocationMember[];
}

export const allocationUrl = (publicBase: string, uuid: string): string =>
  `${publicBase}/v1/allocations/${uuid}`;

const linksOf = (publicBase: string, uuid: string): unknown => [
  { href: allocationUrl(publicBase, uuid), rel: 'self' },
  { href: `${publicBase}/allocations/${uuid}`, rel: 'bookmark' },
];

const maskOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : null;
};

/** An allocation as a client sees it: fields by microversion, what the policy masks masked, links by public address. */
export const allocationView = (
  record: AllocationRow,
  options: ViewOptions,
): Readonly<Record<string, unknown>> => {
  const isShown = (member: AllocationMember): boolean => {
    if (member === 'owner' && options.minor < OWNER_SINCE) return false;
    return member === 'links' || options.fields === undefined || options.fields.includes(member);
  };
  return Object.fromEntries(
    ALLOCATION_MEMBERS.filter(isShown).map((member): [string, unknown] => {
      if (member === 'links') return [member, linksOf(options.publicBase, record.uuid)];
      return [member, options.masked.includes(member) ? maskOf(record[member]) : record[member]];
    }),
  );
};
