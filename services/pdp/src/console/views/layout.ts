import { type Subject } from '@tenure/contracts';
import { type Html, html } from '../html.js';
import { type Page, PATHS } from '../page.js';

const PARTS: readonly (readonly [path: string, name: string])[] = [
  [PATHS.decisions, 'Decisions'],
  [PATHS.live, 'Live'],
  [PATHS.matrix, 'Matrix'],
  [PATHS.whatIf, 'What if'],
  [PATHS.policy, 'Policy'],
];

/** A whole document. Without a login it has neither navigation nor account. */
export const layout = (
  { title, path, body, refresh }: Omit<Page, 'document'>,
  subject: Subject | undefined,
): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refresh === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${refresh}" /></noscript>`}
        <title>${title} – Tenure audit</title>
        <link rel="stylesheet" href="${PATHS.style}" />
        <script src="${PATHS.script}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <span class="name">Tenure audit</span>
          ${subject === undefined ? '' : [navigation(path), account(subject)]}
        </header>
        <main id="main" tabindex="-1">
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;

const navigation = (current: string): Html =>
  html`<nav aria-label="Parts of the console">
    <ul>
      ${PARTS.map(
        ([path, name]) =>
          html`<li>
            <a href="${path}" ${path === current ? html` aria-current="page"` : ''}>${name}</a>
          </li>`,
      )}
    </ul>
  </nav>`;

const account = ({ user_id: user, system_scope: system, project_id: project }: Subject): Html =>
  html`<form method="post" action="${PATHS.logout}" class="account">
    <span
      >${user}${system === null ? '' : ', system'}${project === null ? '' : `, project ${project}`}</span
    >
    <button>Log out</button>
  </form>`;
