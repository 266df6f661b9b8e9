import { type Html, html } from '../html.js';
import { PATHS } from '../page.js';

/** @param problem what was wrong with the last try */
export const loginForm = (problem: string | undefined): Html =>
  html`${problem === undefined ? '' : html`<p role="alert" class="fault">${problem}</p>`}
    <form method="post" action="${PATHS.login}" class="stacked" autocomplete="off">
      <label for="token">Token</label>
      <input id="token" name="token" type="password" required autofocus />
      <p class="hint">
        A token whose bearer the policy lets do <code>tenure:audit:read</code>, by default a reader
        of the system: <code>npx tenure token --user U --system all --role reader</code>
      </p>
      <button>Log in</button>
    </form>`;
