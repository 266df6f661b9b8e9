import { type TSchema, Type } from '@sinclair/typebox';

/** What a key of a query means and takes. The services check the values, which may depend on the microversion. */
export interface KeyForm {
  readonly about: string;
  readonly schema: TSchema;
  /** What is asked about must be there for the caller: missing and invisible are the same 404. */
  readonly names?: true;
}

const Word = Type.String({ maxLength: 255 });
/** Several, separated by commas. */
export const Words = Type.Array(Word, { minItems: 1 });

export const text = (about: string, schema: TSchema = Word): KeyForm => ({ about, schema });
export const flag = (about: string): KeyForm => ({ about, schema: Type.Boolean() });
export const naming = (about: string, schema: TSchema = Word): KeyForm => ({
  about,
  schema,
  names: true,
});
