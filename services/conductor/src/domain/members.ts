import { isJsonObject, type JsonObject } from '@tenure/contracts';

/** Fields of a record, or members of an object in one. */
export type Fields = JsonObject;

/** The members of a value, each to be checked; none when it is no object. */
export const membersOf = (value: unknown): Fields => (isJsonObject(value) ? value : {});

export const without = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
