import { BadRequestError, booleanIn } from '@tenure/contracts';

/** @throws BadRequestError unless the text is a boolean */
export function flag(name: string, text: string): boolean {
  const value = booleanIn(text);
  if (typeof value !== 'boolean')
    throw new BadRequestError(`Invalid value for ${name}: "${text.slice(0, 64)}".`);
  return value;
}
