import { isJsonObject, type JsonObject } from '@tenure/contracts';

export type Json = JsonObject;

const PATH = /^\/(?![/\\])[!-~]+$/u;

export const objectOf = (value: unknown): Json => (isJsonObject(value) ? value : {});

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const textsOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string')
    : undefined;

/** A path on the same BMC; undefined for anything else, above all for an address of another host. */
export function pathOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && text.length < 1024 && PATH.test(text) ? text : undefined;
}

/** Where a link such as `{"@odata.id": "/redfish/v1/…"}` leads. */
export const linkOf = (value: unknown): string | undefined => pathOf(objectOf(value)['@odata.id']);

export const linksOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(linkOf).filter((path) => path !== undefined) : [];

/** Where an action of a resource is posted to, for example `#Bios.ResetBios`. */
export const actionOf = (data: Json, name: string): string | undefined =>
  pathOf(objectOf(objectOf(data['Actions'])[name])['target']);

/** The id of a resource; the last segment of its path when it has none. */
export const idOf = ({ path, data }: { readonly path: string; readonly data: Json }): string =>
  textOf(data['Id']) ?? path.replace(/\/$/u, '').split('/').at(-1) ?? path;
