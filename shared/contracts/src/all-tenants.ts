import { booleanIn } from './boolean-text.js';
import { BadRequestError } from './errors.js';

/**
 * Whether a list of servers is to have those of every project. One function for the gateway, which asks the policy, and for
 * the compute service, which lists: they cannot differ. As in Nova the key alone says yes.
 * @param value `all_tenants` of the query; undefined when it is not there
 * @throws BadRequestError when it is neither yes nor no
 */
export function isAllTenants(value: string | undefined): boolean {
  if (value === undefined) return false;
  const said = value === '' ? true : booleanIn(value.trim());
  if (typeof said === 'boolean') return said;
  throw new BadRequestError(
    `Invalid value for all_tenants: ${JSON.stringify(value.slice(0, 64))}.`,
  );
}
