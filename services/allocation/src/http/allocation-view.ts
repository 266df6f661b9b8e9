import { ALLOCATION_CATALOGUE, fieldOf } from '@tenure/contracts';
import { type AllocationRow } from '../ports/allocation-store.js';

const { members, sinceOf } = ALLOCATION_CATALOGUE;

/** Inputs of a view beside the record. */
export interface ViewOptions {
  readonly minor: number;
  readonly publicBase: string;
  readonly masked: readonly string[];
  readonly fields?: readonly string[];
}

/** The fields of an allocation that these members need; undefined: all fields. */
export const recordFieldsOf = (
  names: readonly string[] | undefined,
): readonly string[] | undefined =>
  names && ['uuid', ...names.filter((name) => name !== 'links' && name !== 'uuid')];

export const allocationUrl = (publicBase: string, uuid: string): string =>
  `${publicBase}/v1/allocations/${uuid}`;

/** An allocation as a client sees it: fields by microversion, what the policy masks masked, links by public address. */
export function allocationView(
  record: AllocationRow,
  options: ViewOptions,
): Readonly<Record<string, unknown>> {
  const isVisible = (member: string): boolean =>
    (sinceOf(member) ?? Infinity) <= options.minor &&
    (member === 'links' || options.fields === undefined || options.fields.includes(member));
  const valueOf = (member: string): unknown => {
    if (member === 'links') return linksOf(options.publicBase, record.uuid);
    const value = fieldOf(record, member);
    return options.masked.includes(member) ? maskOf(value) : value;
  };
  return Object.fromEntries(
    members.filter(isVisible).map((member): [string, unknown] => [member, valueOf(member)]),
  );
}

const linksOf = (publicBase: string, uuid: string): unknown => [
  { href: allocationUrl(publicBase, uuid), rel: 'self' },
  { href: `${publicBase}/allocations/${uuid}`, rel: 'bookmark' },
];

function maskOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : null;
}
