import { BadRequestError, isUuid, type ListFilter } from '@tenure/contracts';
import { type AnyKind } from '../domain/kinds/resource-kind.js';
import { type Condition } from '../ports/record-store.js';
import { type Query } from './list-query.js';
import { flag } from './query-flag.js';

/** The conditions of a list's filters on a record and on its node. */
export interface Conditions {
  readonly where: readonly Condition[];
  readonly whereNode: readonly Condition[];
}

/** The conditions of a filter whose value has to be looked up first. */
export type Lookup = (value: string) => Promise<Partial<Conditions>>;
export type Lookups = Readonly<Record<string, Lookup>>;

/** Several values, separated by commas. */
export const valuesIn = (text: string): readonly string[] =>
  text.split(',').map((one) => one.trim());

/**
 * The conditions of every filter in a query.
 * @param lookups of the filters that the catalogue leaves to the service
 * @throws BadRequestError, and what a lookup throws
 */
export async function conditionsIn(
  kind: AnyKind,
  given: Query,
  lookups: Lookups,
): Promise<Conditions> {
  const where: Condition[] = [];
  const whereNode: Condition[] = [];
  for (const filter of Object.values(kind.catalogue.filters)) {
    const { field, test, name } = filter;
    const text = given[name];
    if (text === undefined) continue;
    if (test === 'lookup' || field === null) {
      const found = await lookedUp(lookups, name, text);
      where.push(...found.where);
      whereNode.push(...found.whereNode);
    } else where.push(conditionOf(kind, filter, field, text));
  }
  return { where, whereNode };
}

/** @throws Error for a filter without a lookup: ignoring it would return rows that the caller excluded */
async function lookedUp(lookups: Lookups, name: string, text: string): Promise<Conditions> {
  const lookup = lookups[name];
  if (lookup === undefined) throw new Error(`no lookup for the filter ${name}`);
  return { where: [], whereNode: [], ...(await lookup(text)) };
}

function conditionOf(
  kind: AnyKind,
  { name, test }: ListFilter,
  field: string,
  text: string,
): Condition {
  if (test === 'is_set') return { field, op: flag(name, text) ? 'not_null' : 'null' };
  if (test === 'contains') return { field, op: 'contains', value: text };
  if (test === 'one_of') return { field, op: 'in', values: valuesIn(text) };
  return { field, op: 'eq', value: comparedValue(kind, field, text) };
}

/** The value as the store has it. */
function comparedValue(kind: AnyKind, field: string, text: string): string | boolean {
  const fieldKind = kind.catalogue.field(field)?.kind;
  if (fieldKind === 'boolean') return flag(field, text);
  if (fieldKind === 'uuid') return uuidIn(field, text);
  kind.assertFilter(field, text);
  return kind.lowerCase.includes(field) ? text.toLowerCase() : text;
}

function uuidIn(name: string, value: string): string {
  if (!isUuid(value))
    throw new BadRequestError(`Expected a UUID but received ${value.slice(0, 64)} for ${name}.`);
  return value.toLowerCase();
}
