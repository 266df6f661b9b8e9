import { type LoggedDecision } from '@tenure/decision-log';
import { memberOf, type Why } from '@tenure/policy';
import { type ExplainedDecision } from '../../ports/audit-queries.js';
import { type Html, html } from '../html.js';
import { codes, json, missesList, outcome, placesList } from './parts.js';

type ExplainedAnswer = ExplainedDecision['whys'][number];

/** One record, with its explanation. */
export function decisionView(
  { timestamp, record }: LoggedDecision,
  { whys, isSamePolicy }: ExplainedDecision,
): Html {
  const input = memberOf(record, 'input');
  const subject = memberOf(input, 'subject');
  return html`<dl class="facts">
      ${detail('Decision', record['decision_id'])}${detail('Time', timestamp)}
      ${detail('Request', record['req_id'])}${detail('Requested by', record['requested_by'])}
      ${detail('User', memberOf(subject, 'user_id'))}${detail('Roles', memberOf(subject, 'roles'))}
      ${detail('Policy', memberOf(memberOf(memberOf(record, 'bundles'), 'tenure'), 'revision'))}
    </dl>
    <h2>Why</h2>
    ${isSamePolicy ? '' : html`<p class="hint">Another policy made this decision than the one in service, of which rules and nearest misses are.</p>`}
    ${whys.map(answer)}
    <h2>The record</h2>
    ${json(record)}`;
}

const detail = (name: string, value: unknown): Html =>
  value === undefined || value === null
    ? html``
    : html`<dt>${name}</dt>
        <dd>${typeof value === 'string' ? value : JSON.stringify(value)}</dd>`;

const answer = (why: ExplainedAnswer): Html =>
  html`<section>
    <h3>${outcome(why.allow)} <code>${why.action}</code></h3>
    ${because(why)}
    <details>
      <summary>The row and the rules</summary>
      ${placesList(why.places)}
    </details>
  </section>`;

const because = ({ allow, grants, reason, nearest_misses: misses }: Why): Html =>
  allow
    ? html`<p>Granted by ${codes(grants)}.</p>`
    : html`<p>Reason: <code>${reason}</code>. Nearest to being allowed were:</p>
        ${missesList(misses)}`;
