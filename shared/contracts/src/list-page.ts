import { BadRequestError, NotAcceptableError } from './errors.js';

/** Rows of a page at most, and of one whose caller gives no limit. */
export const MAX_PAGE = 1000;

/** The order of a list. */
export interface ListOrder {
  /** null: the order of creation. */
  readonly field: string | null;
  readonly descending: boolean;
}

/** The parameters that order a list. */
export interface OrderParameters {
  readonly sort_key?: string;
  readonly sort_dir?: string;
}

/**
 * Rows of a page.
 * @param maximum for a caller that asks for one more than a page, to know whether there is another
 * @throws BadRequestError unless it is a positive whole number
 */
export function limitIn(text: string | undefined, maximum: number = MAX_PAGE): number {
  if (text === undefined) return MAX_PAGE;
  if (!/^[0-9]{1,18}$/u.test(text) || Number(text) === 0)
    throw new BadRequestError('Limit must be positive');
  return Math.min(Number(text), maximum);
}

/**
 * The order that a list is queried in. `id` is Ironic's name for the order of creation, which no field shows.
 * @param sinceOf the microversion (minor) of a field by which the list may be ordered
 * @throws BadRequestError; NotAcceptableError for a field that is newer than `minor`
 */
export function orderIn(
  { sort_key: key = 'id', sort_dir: direction = 'asc' }: OrderParameters,
  sinceOf: (field: string) => number | undefined,
  minor: number,
): ListOrder {
  if (direction !== 'asc' && direction !== 'desc')
    throw new BadRequestError(
      `Invalid sort direction: ${direction.slice(0, 64)}. Acceptable values are 'asc' or 'desc'`,
    );
  const descending = direction === 'desc';
  if (key === 'id') return { field: null, descending };
  const since = sinceOf(key);
  if (since === undefined)
    throw new BadRequestError(
      `The sort_key value "${key.slice(0, 64)}" is an invalid field for sorting`,
    );
  if (since > minor) throw new NotAcceptableError();
  return { field: key, descending };
}
