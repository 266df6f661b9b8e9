import {
  answersOf,
  type JsonObject,
  type LoggedAnswer,
  memberOf,
  type MissingFact,
  type NearestMiss,
  type RulePlace,
} from '@tenure/policy';
import { address, type Content, type Html, html } from '../html.js';
import { PATHS } from '../page.js';

/** The texts of a row in a list of decisions. */
export interface DecisionLine {
  readonly id: string;
  readonly time: string;
  readonly allow: boolean;
  readonly action: string;
  readonly user: string;
  readonly scope: string;
  readonly resource: string;
  readonly tenancy: string;
  /** The grants, or the reason of a denial. */
  readonly because: string;
}

/** A line for each of the questions of a record. */
export const decisionLinesOf = ({
  timestamp,
  record,
}: {
  readonly timestamp: string;
  readonly record: JsonObject;
}): readonly DecisionLine[] => answersOf(record).map((answer) => lineOf(timestamp, record, answer));

export const outcome = (allow: boolean): Html =>
  allow ? html`<span class="allowed">allowed</span>` : html`<span class="denied">denied</span>`;

/** The facts that were missing to be allowed, the nearest first. */
export const missesList = (misses: readonly NearestMiss[]): Html =>
  misses.length === 0
    ? html`<p>No grant is near: three changes of facts would not be enough.</p>`
    : html`<ol class="misses">
        ${misses.map(
          ({ grant, about, missing }) =>
            html`<li>
              <strong><code>${grant}</code></strong
              >${about === '' ? '' : `: ${about}`}
              <ul>
                ${missing.map(fact)}
              </ul>
            </li>`,
        )}
      </ol>`;

/** Rows and rules, each with its file. */
export const placesList = (places: readonly RulePlace[]): Html =>
  html`${places.map(
    ({ file, line, text }) =>
      html`<figure>
        <figcaption><code>${file}${line === undefined ? '' : `:${line}`}</code></figcaption>
        <pre tabindex="0">${text}</pre>
      </figure>`,
  )}`;

export const json = (value: unknown): Html =>
  html`<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;

/** The head of a table. */
export const tableHead = (...columns: readonly Content[]): Html =>
  html`<thead>
    <tr>
      ${columns.map((column) => html`<th scope="col">${column}</th>`)}
    </tr>
  </thead>`;

/** Names, each as code. */
export const codes = (names: readonly string[]): readonly Html[] =>
  names.map((name, at) => html`${at === 0 ? '' : ', '}<code>${name}</code>`);

/** The link to the page of a decision. */
export const decisionLink = (id: string, content: Content): Html =>
  html`<a href="${address(`${PATHS.decisions}/${encodeURIComponent(id)}`)}">${content}</a>`;

/** One of several choices. */
export const option = (value: string, label: string, chosen: string | undefined): Html =>
  html`<option value="${value}" ${value === (chosen ?? '') ? html` selected` : ''}>
    ${label}
  </option>`;

/** A labelled field of text. */
export const field = (name: string, label: string, value: string | undefined): Html =>
  html`<label
    >${label}<input
      name="${name}"
      value="${value ?? ''}"
      maxlength="255"
      spellcheck="false"
      autocomplete="off"
  /></label>`;

function lineOf(time: string, record: JsonObject, answer: LoggedAnswer): DecisionLine {
  const input = memberOf(record, 'input');
  const subject = memberOf(input, 'subject');
  const resource = memberOf(input, 'resource');
  const type = textOr(memberOf(resource, 'type'));
  return {
    id: textOr(memberOf(record, 'decision_id')),
    time,
    allow: answer.allow,
    action: answer.action,
    user: textOr(memberOf(subject, 'user_id'), 'nobody'),
    scope: scopeOf(subject),
    resource: [type === 'none' ? '' : type, textOr(memberOf(resource, 'id'))].join(' ').trim(),
    tenancy: tenancyOf(resource),
    because: answer.allow ? answer.grants.join(', ') : answer.reason,
  };
}

const textOr = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value : otherwise;

function scopeOf(subject: unknown): string {
  const project = memberOf(subject, 'project_id');
  const domain = memberOf(subject, 'domain_id');
  if (typeof project === 'string') return `project ${project}`;
  if (typeof memberOf(subject, 'system_scope') === 'string') return 'system';
  return typeof domain === 'string' ? `domain ${domain}` : 'none';
}

const tenancyOf = (resource: unknown): string =>
  (['owner', 'lessee'] as const)
    .flatMap((place) => {
      const id = memberOf(resource, place);
      return typeof id === 'string' ? [`${place} ${id}`] : [];
    })
    .join(', ');

const fact = ({ fact: name, has, needs, of }: MissingFact): Html =>
  html`<li>
    <code>${name}</code> is <q>${factText(has)}</q>, and would have to be
    <q>${factText(needs)}</q>${of === undefined ? '' : `, its ${of}`}
  </li>`;

function factText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
