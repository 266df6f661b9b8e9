import { isJsonObject } from '@tenure/contracts';

export { canonicalJson, isJsonObject, type JsonObject } from '@tenure/contracts';

/** Own member of a JSON object, or undefined: inherited names such as `constructor` are not members. */
export const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
