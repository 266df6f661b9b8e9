import { type PolicyStatus, type ShadowStatus } from '../../ports/console-status.js';
import { type Html, html } from '../html.js';
import { decisionLink, tableHead } from './parts.js';

/** The state of the policy in service. */
export const statusView = (status: PolicyStatus): Html =>
  html`${status.faults.map((fault) => html`<p role="alert" class="fault">${fault}</p>`)}
    <dl class="facts">
      <dt>Revision</dt>
      <dd><code>${status.revision}</code></dd>
      <dt>In service since</dt>
      <dd><time datetime="${status.since}">${status.since}</time></dd>
      <dt>Overlays</dt>
      <dd>
        ${
          status.overlays.length === 0
            ? 'none'
            : html`<ul>
                ${status.overlays.map((file) => html`<li><code>${file}</code></li>`)}
              </ul>`
        }
      </dd>
    </dl>
    ${replicasOf(status.replicas)}
    <h2>Switches</h2>
    <table>
      ${tableHead('Switch', 'Value')}
      <tbody>
        ${Object.entries(status.switches).map(
          ([name, value]) =>
            html`<tr>
              <th scope="row"><code>${name}</code></th>
              <td>${String(value)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <h2>History</h2>
    ${historyOf(status.history)}
    <h2>Shadow</h2>
    ${shadowOf(status.shadow)}`;

const replicasOf = (replicas: PolicyStatus['replicas']): Html | string =>
  replicas === undefined
    ? ''
    : html`<h2>Decision points</h2>
        <table>
          ${tableHead('Instance', 'Revision', 'In service since', 'Status')}
          <tbody>
            ${replicas.map(
              ({ instance, revision, pinned, since, status, reason }) =>
                html`<tr>
                  <th scope="row">${instance}</th>
                  <td><code>${revision}</code>${pinned ? ' (pinned)' : ''}</td>
                  <td><time datetime="${since}">${since}</time></td>
                  <td>${status}${reason === undefined ? '' : `: ${reason}`}</td>
                </tr>`,
            )}
          </tbody>
        </table>`;

const historyOf = (history: PolicyStatus['history']): Html =>
  history === undefined
    ? html`<p>No history is kept here.</p>`
    : html`<ol class="history">
        ${history.map(
          ({ revision, at, event, diff }) =>
            html`<li>
              <time datetime="${at}">${at}</time> ${event} <code>${revision}</code>${
                diff === undefined
                  ? ''
                  : html`<details>
                      <summary>What changed</summary>
                      <pre tabindex="0">${diff}</pre>
                    </details>`
              }
            </li>`,
        )}
      </ol>`;

const shadowOf = (shadow: ShadowStatus | undefined): Html =>
  shadow === undefined
    ? html`<p>No shadow policy is evaluated.</p>`
    : html`<p>
          ${shadow.differences} of ${shadow.evaluated} answers would have been different under
          <code>${shadow.revision}</code>.
        </p>
        <table>
          ${tableHead('Decision', 'Action', 'In service', 'Shadow')}
          <tbody>
            ${shadow.samples.map(
              ({ decisionId, action, live, shadow: other }) =>
                html`<tr>
                  <td>${decisionLink(decisionId, decisionId)}</td>
                  <td><code>${action}</code></td>
                  <td>${word(live)}</td>
                  <td>${word(other)}</td>
                </tr>`,
            )}
          </tbody>
        </table>`;

const word = (allow: boolean): string => (allow ? 'allowed' : 'denied');
