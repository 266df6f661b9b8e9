import { type TSchema, Type } from '@sinclair/typebox';
import { type ListFilter, type ResourceCatalogue, Word } from '@tenure/contracts';

/** Meaning and schema of a query key. The services check the values, which may depend on the microversion. */
export type KeyForm = Pick<ListFilter, 'about' | 'schema' | 'names'>;

/** The keys that a route accepts, with their meaning. */
export type QueryKeys = ReadonlyMap<string, KeyForm>;

export const text = (about: string, schema: TSchema = Word): KeyForm => ({
  about,
  schema,
  names: false,
});
export const flag = (about: string): KeyForm => text(about, Type.Boolean());
export const naming = (about: string, schema: TSchema = Word): KeyForm => ({
  about,
  schema,
  names: true,
});

/** Selects keys of an API by name. */
export const keysOf =
  <K extends string>(forms: Readonly<Record<K, KeyForm>>) =>
  (...names: readonly K[]): QueryKeys =>
    new Map(names.map((name) => [name, forms[name]]));

/**
 * The filters of a list.
 * @param below whether the list is below another object, which is a filter by itself
 */
export const filterKeys = (
  { filters }: Pick<ResourceCatalogue, 'filters'>,
  below = false,
): QueryKeys => new Map(Object.entries(filters).filter(([, filter]) => !below || filter.below));

export const allKeys = (...some: readonly QueryKeys[]): QueryKeys =>
  new Map(some.flatMap((keys) => [...keys]));
