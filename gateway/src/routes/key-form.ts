import { NOVA_QUERY_KEYS } from './nova-query-keys.js';
import { type KeyForm } from './query-key.js';
import { QUERY_KEYS } from './query-keys.js';
import { type Route } from './route.js';

const CATALOGUES: Readonly<Record<Route['api'], Readonly<Record<string, KeyForm>>>> = {
  baremetal: QUERY_KEYS,
  compute: NOVA_QUERY_KEYS,
};

/**
 * What a key of a route's query means: the same word may say something else in the other API.
 * @throws Error when the route's API does not have the key
 */
export const keyFormOf = ({ api }: Pick<Route, 'api'>, key: string): KeyForm => {
  const form = CATALOGUES[api][key];
  if (form === undefined) throw new Error(`nothing is known about the query key ${key}`);
  return form;
};
