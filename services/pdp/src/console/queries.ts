import { type Static, type TObject, Type } from '@sinclair/typebox';
import { BadRequestError, parse } from '@tenure/contracts';
import { momentIn } from '@tenure/process';

const Word = Type.Optional(Type.String({ maxLength: 255 }));
const Id = Type.String({ minLength: 1, maxLength: 255 });

const FILTER = {
  user: Word,
  project: Word,
  node: Word,
  action: Word,
  request: Word,
  outcome: Type.Optional(
    Type.Union([Type.Literal('denied'), Type.Literal('allowed'), Type.Literal('')]),
  ),
};
const closed = { additionalProperties: false };

/** Which decisions a live view shows. */
export const LiveQuery = Type.Object(FILTER, closed);
/** The query of a live view: decisions made from a moment on, and those to come. */
export const LiveEventsQuery = Type.Object(
  { ...FILTER, from: Type.Optional(Type.String({ maxLength: 40 })) },
  closed,
);
/** Which decisions a search shows. `until` and `skip` are where the page begins. */
export const SearchQuery = Type.Object(
  {
    ...FILTER,
    since: Type.Optional(Type.String({ maxLength: 40 })),
    until: Type.Optional(Type.String({ maxLength: 40 })),
    skip: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
  },
  closed,
);
export const MatrixQuery = Type.Object(
  {
    topic: Word,
    action: Word,
    persona: Word,
    cell: Type.Optional(Type.String({ maxLength: 1 })),
  },
  closed,
);
export const CellQuery = Type.Object({ persona: Id, action: Id }, closed);
export const TryQuery = Type.Object(
  { persona: Word, action: Word, node: Word, owner: Word, lessee: Word },
  closed,
);
export const NoQuery = Type.Object({}, closed);

export type LiveQuery = Static<typeof LiveQuery>;
export type SearchQuery = Static<typeof SearchQuery>;
export type MatrixQuery = Static<typeof MatrixQuery>;
export type TryQuery = Static<typeof TryQuery>;

/**
 * The members of a query or of a form, each at most once.
 * @throws BadRequestError for one that is unknown, is there twice or is not of its shape
 */
export function membersOf<S extends TObject>(schema: S, given: URLSearchParams): Static<S> {
  const names = [...given.keys()];
  if (new Set(names).size !== names.length) throw new BadRequestError('a parameter is there twice');
  return parse(schema, Object.fromEntries(given), 'query');
}

/**
 * A moment as the log writes it, from a duration before now (`7d`) or a date and time.
 * @param now milliseconds since the epoch
 * @throws BadRequestError when it is neither
 */
export function momentOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined || text === '') return undefined;
  const moment = momentIn(text, now);
  if (moment === undefined)
    throw new BadRequestError('say a duration such as 15m, 1h, 7d, or a date and time');
  return moment;
}
