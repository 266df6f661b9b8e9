import { type FoundDecisions } from '../../ports/audit-queries.js';
import { address, type Html, html } from '../html.js';
import { PATHS } from '../page.js';
import { type LiveQuery, type SearchQuery } from '../queries.js';
import {
  type DecisionLine,
  decisionLinesOf,
  decisionLink,
  field,
  option,
  outcome,
  tableHead,
} from './parts.js';

const COLUMNS = ['Time', 'Outcome', 'Action', 'User', 'Scope', 'Resource', 'Tenancy', 'Because'];

/** A search and what it found. */
export const decisionsView = (query: SearchQuery, found: FoundDecisions): Html =>
  html`<form method="get" action="${PATHS.decisions}" class="filter" role="search">
      ${filterFields(query)}
      ${field('since', 'Since (15m, 7d, or a time)', query.since)}${field('until', 'Until', query.until)}
      <button>Search</button> <a href="${PATHS.decisions}">Clear</a>
    </form>
    ${table(summary(found), found.decisions.flatMap(decisionLinesOf))} ${olderPage(query, found)}`;

/** The last decisions; a script adds those to come. */
export const liveView = (query: LiveQuery, found: FoundDecisions): Html =>
  html`<form method="get" action="${PATHS.live}" class="filter">
      ${filterFields(query)} <button>Show these</button> <a href="${PATHS.live}">Clear</a>
    </form>
    <p>
      <button type="button" id="pause" hidden aria-pressed="false">Pause</button>
      <span id="live-state" role="status">The page is loaded anew every five seconds.</span>
    </p>
    <div
      id="live"
      data-events="${address(PATHS.liveEvents, { ...query, from: found.decisions[0]?.timestamp })}"
      data-decisions="${PATHS.decisions}/"
    >
      ${table('The newest decisions first', found.decisions.flatMap(decisionLinesOf))}
    </div>`;

const filterFields = ({ user, project, node, action, request, outcome: chosen }: LiveQuery): Html =>
  html`${field('user', 'User id', user)}${field('project', 'Project', project)}${field('node', 'Node or other resource', node)}
    ${field('action', 'Action', action)}${field('request', 'Request id', request)}
    <label
      >Outcome<select name="outcome">
        ${option('', 'any', chosen)}${option('denied', 'denied', chosen)}${option('allowed', 'allowed', chosen)}
      </select></label
    >`;

const table = (caption: string, lines: readonly DecisionLine[]): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${caption}">
    <table class="decisions">
      <caption>
        ${caption}
      </caption>
      ${tableHead(...COLUMNS)}
      <tbody>
        ${lines.map(row)}
      </tbody>
    </table>
  </div>`;

function summary({ decisions, hasMore, isComplete }: FoundDecisions): string {
  const count = `${String(decisions.length)} decision${decisions.length === 1 ? '' : 's'}`;
  if (!isComplete)
    return `${count}, and the time was up before all was looked through: say more, or a later beginning`;
  return hasMore ? `${count}, the newest first; there are more` : count;
}

function olderPage(query: SearchQuery, { decisions, hasMore }: FoundDecisions): Html {
  const last = decisions.at(-1)?.timestamp;
  if (!hasMore || last === undefined) return html``;
  const here = decisions.filter(({ timestamp }) => timestamp === last).length;
  const before = query.until === last ? Number(query.skip ?? 0) : 0;
  const next = { ...query, until: last, skip: String(before + here) };
  return html`<p><a rel="next" href="${address(PATHS.decisions, next)}">Older decisions</a></p>`;
}

const row = (line: DecisionLine): Html =>
  html`<tr data-id="${line.id}">
    <td>${decisionLink(line.id, html`<time datetime="${line.time}">${line.time}</time>`)}</td>
    <td>${outcome(line.allow)}</td>
    <td><code>${line.action}</code></td>
    <td>${line.user}</td>
    <td>${line.scope}</td>
    <td>${line.resource}</td>
    <td>${line.tenancy}</td>
    <td>${line.because}</td>
  </tr>`;
