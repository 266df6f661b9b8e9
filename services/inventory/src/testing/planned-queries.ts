import { type RecordQuery, type RecordShape } from '../ports/record-store.js';
import { ALL_SHAPES } from '../ports/shapes.js';
import { EVERYTHING, uuidOf } from './fixtures.js';

/** A query of a kind of record, and the fields of which one has to lead its index. */
interface PlannedQuery {
  readonly title: string;
  readonly query: RecordQuery;
  readonly leads: readonly string[];
}

const after = (value: string | null): RecordQuery['after'] => ({ uuid: uuidOf(1), value });

const ofField = (field: string): readonly PlannedQuery[] => [
  {
    title: `of a project by ${field}`,
    query: { ...EVERYTHING, anyOf: [{ field, value: 'x' }], after: after(null) },
    leads: [field],
  },
  {
    title: `in the order of ${field}`,
    query: { ...EVERYTHING, order: { field, descending: false } },
    leads: [field],
  },
  {
    title: `in the order of ${field}, after another`,
    query: { ...EVERYTHING, order: { field, descending: true }, after: after('x') },
    leads: [field],
  },
];

/** The queries of every kind of record. */
export const PLANNED_CASES = ALL_SHAPES.flatMap((shape) =>
  plannedQueries(shape).map(({ title, query, leads }) => ({
    title: `${shape.name} ${title}`,
    shape,
    query,
    leads,
  })),
);

/** The queries that lists make of a kind of record: alternatives, orders, pages, and by what records hang on. */
function plannedQueries({ indexed, parent }: RecordShape): readonly PlannedQuery[] {
  const alternatives = indexed.slice(0, 2);
  return [
    { title: 'in the order of creation', query: EVERYTHING, leads: ['seq'] },
    {
      title: 'in the order of creation, after another',
      query: { ...EVERYTHING, after: after(null) },
      leads: ['seq'],
    },
    ...indexed.flatMap(ofField),
    ...(alternatives.length === 2
      ? [
          {
            title: `by ${alternatives.join(' or ')}`,
            query: { ...EVERYTHING, anyOf: alternatives.map((field) => ({ field, value: 'x' })) },
            leads: alternatives,
          },
        ]
      : []),
    ...(parent === undefined
      ? []
      : [
          {
            title: 'by what they hang on',
            query: {
              ...EVERYTHING,
              through: { anyOf: [{ field: 'owner', value: 'x' }], where: [] },
            },
            leads: [parent.field],
          },
        ]),
  ];
}
