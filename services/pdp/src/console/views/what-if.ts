import { type Matrix } from '@tenure/policy';
import { type TriedQuestion } from '../../ports/audit-queries.js';
import { type Html, html } from '../html.js';
import { PATHS } from '../page.js';
import { type TryQuery } from '../queries.js';
import { triedView } from './matrix.js';
import { field, option } from './parts.js';

/** A node from logged decisions, with its tenancy in the newest of them. */
export interface LoggedNode {
  readonly id: string;
  readonly owner: string | null;
  readonly lessee: string | null;
}

/** The form for a hypothetical question, and the policy's answer when there is one. */
export const whatIfView = (
  query: TryQuery,
  { personas, topics }: Matrix,
  nodes: readonly LoggedNode[],
  tried: TriedQuestion | undefined,
): Html =>
  html`<p>
      What would the policy in service say? Nothing is recorded. A caller of the owner’s or lessee’s
      project is taken for one of the project that owns or leases the node.
    </p>
    <form method="get" action="${PATHS.whatIf}" class="filter">
      <label
        >Caller<select name="persona">
          ${personas.map(({ code, name }) => option(code, `${code} ${name}`, query.persona))}
        </select></label
      >
      <label
        >Action<select name="action">
          ${topics.map(
            ({ title, rows }) =>
              html`<optgroup label="${title}">
                ${rows.map(({ action }) => option(action, action, query.action))}
              </optgroup>`,
          )}
        </select></label
      >
      <label
        >Node of the decision log<input
          name="node"
          list="nodes"
          value="${query.node ?? ''}"
          maxlength="255"
          spellcheck="false"
          autocomplete="off"
      /></label>
      <datalist id="nodes">${nodes.map(nodeOption)}</datalist>
      ${field('owner', 'or owner', query.owner)}${field('lessee', 'and lessee', query.lessee)}
      <button>Ask</button>
    </form>
    ${tried === undefined ? '' : triedView(tried)}`;

const nodeOption = ({ id, owner, lessee }: LoggedNode): Html =>
  html`<option value="${id}">owner ${owner ?? 'none'}, lessee ${lessee ?? 'none'}</option>`;
