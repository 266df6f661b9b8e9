import { type TSchema, Type } from '@sinclair/typebox';
import { Uuid } from '../api/values.js';

/**
 * How a parameter compares. `equals` and `one_of` (several values, separated by commas) compare the field with the value,
 * `contains` looks for a part of a text, `is_set` takes a flag; for `lookup` the service that lists knows what a value means.
 */
export type FilterTest = 'equals' | 'one_of' | 'contains' | 'is_set' | 'lookup';

/** A parameter that narrows a list. */
export interface ListFilter {
  readonly name: string;
  /** First microversion (minor) that accepts it. */
  readonly since: number;
  /** The field whose values the result depends on; null when the policy cannot mask it. */
  readonly field: string | null;
  readonly test: FilterTest;
  /** For the API's description. */
  readonly about: string;
  readonly schema: TSchema;
  /** It names an object, and a missing one and one that the caller may not see are the same 404. */
  readonly names: boolean;
  /** Whether lists below another object (`/v1/nodes/{ident}/ports`) accept it too. */
  readonly below: boolean;
}

/** A filter with the name of its field, as the field declares it. */
export type FieldFilter = Pick<ListFilter, 'about'> &
  Partial<Pick<ListFilter, 'since' | 'test' | 'schema' | 'names' | 'below'>>;

/** A filter whose name is not that of a field. */
export type NamedFilter = FieldFilter & Pick<ListFilter, 'since' | 'field' | 'test'>;

/** Any word. */
export const Word = Type.String({ maxLength: 255 });
/** Several texts, separated by commas. */
export const TextList = Type.Array(Word, { minItems: 1 });

const COMPARED: Readonly<Record<string, TSchema>> = { boolean: Type.Boolean(), uuid: Uuid };

const SCHEMAS: Readonly<Record<FilterTest, (fieldKind: string) => TSchema>> = {
  equals: (fieldKind) => COMPARED[fieldKind] ?? Word,
  one_of: () => TextList,
  contains: () => Word,
  is_set: () => Type.Boolean(),
  lookup: () => Word,
};

/** @param fieldKind kind of the field that is compared; empty when there is none */
export const listFilter = (name: string, filter: NamedFilter, fieldKind: string): ListFilter => ({
  schema: SCHEMAS[filter.test](fieldKind),
  names: false,
  below: true,
  ...filter,
  name,
});
