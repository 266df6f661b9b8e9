import { BadRequestError } from '@tenure/contracts';
import { type Request } from 'express';

/**
 * Query parameters as text, each given once.
 * @throws BadRequestError for one that is not in `allowed` or is given twice
 */
export function queryOf(
  request: Request,
  allowed: readonly string[],
): Readonly<Record<string, string>> {
  const entries = Object.entries(request.query as Record<string, unknown>).map(
    ([key, value]): [string, string] => {
      if (!allowed.includes(key))
        throw new BadRequestError(`Unknown argument: "${key.slice(0, 64)}".`);
      if (typeof value !== 'string')
        throw new BadRequestError(`The argument "${key}" is given more than once.`);
      return [key, value];
    },
  );
  return Object.fromEntries(entries);
}

/** A named part of the path. */
export function pathPart(request: Request, name: string): string {
  const value = request.params[name];
  if (typeof value !== 'string') throw new Error(`the route has no ${name}`);
  return value;
}
