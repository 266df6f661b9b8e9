import {
  type Cell,
  LEGEND,
  type Matrix,
  type MatrixRow,
  type Persona,
  personaName,
} from '@tenure/policy';
import { type TriedQuestion } from '../../ports/audit-queries.js';
import { address, type Html, html } from '../html.js';
import { PATHS } from '../page.js';
import { type MatrixQuery } from '../queries.js';
import { codes, field, json, missesList, option, outcome, placesList } from './parts.js';

const ALL = 'all';
const MEANING: ReadonlyMap<string, string> = new Map(LEGEND);

/** The visible part of a matrix. */
export interface MatrixSelection {
  readonly personas: readonly { readonly persona: Persona; readonly at: number }[];
  readonly topics: Matrix['topics'];
}

export const cellMeaning = (cell: Cell): string => MEANING.get(cell) ?? cell;

/** The part of a matrix that a query asks for: without one, its largest topic. */
export function selectionOf(matrix: Matrix, query: MatrixQuery): MatrixSelection {
  const { action = '', persona = '', cell = '' } = query;
  const isNarrow = [action, persona, cell].some((text) => text !== '');
  const topic = query.topic ?? (isNarrow ? ALL : largestTopic(matrix));
  const personas = matrix.personas
    .map((each, at) => ({ persona: each, at }))
    .filter(({ persona: { code } }) => persona === '' || code === persona);
  const fits = ({ action: name, cells }: MatrixRow): boolean =>
    name.includes(action) && (cell === '' || personas.some(({ at }) => cells[at] === cell));
  const topics = matrix.topics
    .filter(({ title }) => topic === ALL || title === topic)
    .map(({ title, rows }) => ({ title, rows: rows.filter(fits) }))
    .filter(({ rows }) => rows.length > 0);
  return { personas, topics };
}

/** A table of callers and actions, each cell a link to its explanation. */
export function matrixView(matrix: Matrix, query: MatrixQuery): Html {
  const selection = selectionOf(matrix, query);
  const [first, ...others] = selection.topics;
  const only = first !== undefined && others.length === 0 ? first.title : ALL;
  const topic = query.topic ?? only;
  const rows = selection.topics.reduce((sum, topic) => sum + topic.rows.length, 0);
  return html`<p>
      Every action for 24 callers, as the policy in service answers. Choose a cell to see by which
      grants, and where that is written. With arrow keys from cell to cell.
    </p>
    ${filterForm(matrix, query, topic)}
    <ul class="legend">
      ${LEGEND.map(([cell, meaning]) => html`<li><span data-cell="${cell}">${cell}</span> ${meaning}</li>`)}
    </ul>
    <p role="status">
      ${rows} action${rows === 1 ? '' : 's'}, ${selection.personas.length}
      caller${selection.personas.length === 1 ? '' : 's'}
    </p>
    ${selection.topics.map((topic) => tableOf(selection, topic))}`;
}

/** The decision on one question, with its explanation. */
export function triedView({ question, answer, misses, places }: TriedQuestion): Html {
  const { allow, visible, reason, grants, denied, ...obligations } = answer;
  return html`<p class="verdict" role="status">
      ${outcome(allow)}:
      ${
        allow
          ? html`by ${codes(grants)}`
          : html`<code>${reason}</code>, ${visible ? 'visible (403)' : 'not visible (404)'},
              <code>${denied.join(', ')}</code>`
      }
    </p>
    ${
      allow
        ? ''
        : html`<h2>Nearest to being allowed</h2>
            ${missesList(misses)}`
    }
    <h2>Where it is written</h2>
    ${placesList(places)}
    <h2>What comes with the answer</h2>
    ${json(obligations)}
    <details>
      <summary>The question</summary>
      ${json(question)}
    </details>`;
}

export const cellView = (persona: Persona, cell: Cell, tried: TriedQuestion): Html =>
  html`<p>
      <a href="${address(PATHS.matrix, { persona: persona.code })}">${persona.name}</a>
      (${persona.code}): <span data-cell="${cell}">${cell}</span> ${cellMeaning(cell)}.
    </p>
    ${triedView(tried)}`;

const largestTopic = ({ topics }: Matrix): string =>
  topics.toSorted((one, other) => other.rows.length - one.rows.length)[0]?.title ?? ALL;

const filterForm = (matrix: Matrix, query: MatrixQuery, topic: string): Html =>
  html`<form method="get" action="${PATHS.matrix}" class="filter">
    <label
      >Topic<select name="topic">
        ${option(ALL, 'all', topic)}${matrix.topics.map(({ title }) => option(title, title, topic))}
      </select></label
    >
    ${field('action', 'Action has', query.action)}
    <label
      >Caller<select name="persona">
        ${option('', 'every', query.persona)}${matrix.personas.map(({ code, name }) => option(code, `${code} ${name}`, query.persona))}
      </select></label
    >
    <label
      >Cell<select name="cell">
        ${option('', 'any', query.cell)}${LEGEND.map(([cell, meaning]) => option(cell, `${cell} ${meaning}`, query.cell))}
      </select></label
    >
    <button>Show</button> <a href="${PATHS.matrix}">Clear</a>
  </form>`;

const tableOf = (selection: MatrixSelection, { title, rows }: Matrix['topics'][number]): Html =>
  html`<h2>${title}</h2>
    <div class="wide">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">action</th>
            ${selection.personas.map(
              ({ persona: { code, name } }) =>
                html`<th scope="col"><abbr title="${name}">${code}</abbr></th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => rowOf(selection, row))}
        </tbody>
      </table>
    </div>`;

const rowOf = ({ personas }: MatrixSelection, { action, cells }: MatrixRow): Html =>
  html`<tr>
    <th scope="row"><code>${action}</code></th>
    ${personas.map(({ persona, at }) => cellOf(action, persona, cells[at] ?? '-'))}
  </tr>`;

function cellOf(action: string, persona: Persona, cell: Cell): Html {
  const label = `${personaName(persona)}, ${action}: ${cellMeaning(cell)}`;
  return html`<td data-cell="${cell}">
    <a
      href="${address(PATHS.cell, { persona: persona.code, action })}"
      title="${label}"
      aria-label="${label}"
      >${cell}</a
    >
  </td>`;
}
