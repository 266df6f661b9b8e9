import { BadRequestError, NotAcceptableError } from '@tenure/contracts';
import { flag } from './query-flag.js';

/** The microversion of a member; undefined when there is no such member. */
export type SinceOf = (member: string) => number | undefined;

export interface Members {
  readonly brief: readonly string[];
  readonly whole: readonly string[];
}

/** Members that have all been there for as long as the list that shows them. */
export const always =
  (members: readonly string[]): SinceOf =>
  (member) =>
    members.includes(member) ? 1 : undefined;

/**
 * `fields=`: the members to show, each once; undefined when none is named.
 * @throws BadRequestError for an unknown one; NotAcceptableError for one that is newer than the microversion
 */
export function membersOf(
  text: string | undefined,
  minor: number,
  sinceOf: SinceOf,
): readonly string[] | undefined {
  const names = [
    ...new Set(
      (text ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ];
  if (names.length === 0) return undefined;
  const unknown = names.filter((name) => sinceOf(name) === undefined);
  if (unknown.length > 0)
    throw new BadRequestError(`Field(s) "${unknown.join(', ').slice(0, 255)}" are not valid`);
  if (names.some((name) => (sinceOf(name) ?? 0) > minor)) throw new NotAcceptableError();
  return names;
}

/**
 * Whether `detail` is requested. It and `fields` exclude each other.
 * @throws BadRequestError
 */
export function isDetailed({ detail, fields }: Readonly<Record<string, string>>): boolean {
  const isRequested = detail !== undefined && flag('detail', detail);
  if (isRequested && fields !== undefined)
    throw new BadRequestError('Can not specify ?detail=True and fields in the same request.');
  return isRequested;
}

/**
 * The members that `detail` and `fields` ask for; the brief ones when neither is given.
 * @throws BadRequestError, NotAcceptableError
 */
export const requestedMembers = (
  query: Readonly<Record<string, string>>,
  minor: number,
  { brief, whole }: Members,
  sinceOf: SinceOf,
): readonly string[] =>
  isDetailed(query) ? whole : (membersOf(query['fields'], minor, sinceOf) ?? brief);
