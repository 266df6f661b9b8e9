import { BadRequestError, type ContextClaims, minorOf } from '@tenure/contracts';
import { type Request } from 'express';
import { type ViewOptions } from '../domain/server-view.js';

/** Inputs of the views of an answer. */
export const viewOptionsOf = (claims: ContextClaims): ViewOptions => ({
  minor: minorOf(claims),
  publicBase: claims.public_base,
});

/** A query parameter. @throws BadRequestError when it is there several times */
export function textIn(request: Request, name: string): string | undefined {
  const value = request.query[name];
  if (value !== undefined && typeof value !== 'string')
    throw new BadRequestError(`Invalid input for query parameters ${name}.`);
  return value;
}

/** The link to the next page of a list, as Nova has it. */
export const nextLink = (
  { public_base: base }: ContextClaims,
  path: string,
  query: Record<string, string> | [string, string][],
): unknown => [{ rel: 'next', href: `${base}${path}?${new URLSearchParams(query).toString()}` }];
