import { NotFoundError } from '@tenure/contracts';
import { type Matrix, type Persona, PERSONAS } from '@tenure/policy';
import { type TriedQuestion } from '../../ports/audit-queries.js';
import { type Page, PATHS } from '../page.js';
import { CellQuery, MatrixQuery, membersOf } from '../queries.js';
import { cellMeaning, cellView, matrixView, selectionOf } from '../views/matrix.js';
import { type PageContext, type PageRequest } from './context.js';

export async function matrixPage(
  { auditQueries }: PageContext,
  request: PageRequest,
): Promise<Page> {
  const query = membersOf(MatrixQuery, request.query);
  const matrix = await auditQueries.matrix();
  const { personas, topics } = selectionOf(matrix, query);
  return {
    title: 'Who may do what',
    path: PATHS.matrix,
    body: matrixView(matrix, query),
    document: {
      switches: matrix.switches,
      actions: topics.flatMap(({ rows }) =>
        rows.map(({ action, cells }) => ({
          action,
          cells: Object.fromEntries(personas.map(({ persona, at }) => [persona.code, cells[at]])),
        })),
      ),
    },
  };
}

/** @throws NotFoundError for an unknown code */
export function personaOf(code: string): Persona {
  const found = PERSONAS.find((persona) => persona.code === code);
  if (found === undefined) throw new NotFoundError('There is no such caller in the matrix.');
  return found;
}

/** @throws NotFoundError for an action that the matrix does not have */
export function requireAction({ topics }: Matrix, action: string): void {
  if (!topics.some(({ rows }) => rows.some((row) => row.action === action)))
    throw new NotFoundError('The policy has no such action.');
}

/** An answer for programs. */
export const triedDocument = ({
  question,
  answer,
  misses,
  places,
}: TriedQuestion): Record<string, unknown> => ({
  ...answer,
  nearest_misses: misses,
  places,
  question,
});

export async function cellPage({ auditQueries }: PageContext, request: PageRequest): Promise<Page> {
  const { persona: code, action } = membersOf(CellQuery, request.query);
  const persona = personaOf(code);
  const matrix = await auditQueries.matrix();
  requireAction(matrix, action);
  const at = matrix.personas.findIndex((each) => each.code === code);
  const row = matrix.topics.flatMap(({ rows }) => rows).find((each) => each.action === action);
  const cell = row?.cells[at] ?? '-';
  const tried = await auditQueries.attempt({ persona: code, action });
  return {
    title: action,
    path: PATHS.matrix,
    body: cellView(persona, cell, tried),
    document: { cell, meaning: cellMeaning(cell), ...triedDocument(tried) },
  };
}
