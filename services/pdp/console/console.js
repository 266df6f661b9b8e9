/* Everything works without this file; it makes the live view move, and arrow keys walk through the matrix. */

const MAX_ROWS = 200;

const element = (name, content) => {
  const made = document.createElement(name);
  made.append(content);
  return made;
};
const cell = (content) => element('td', content);

/** Strings are appended as text, never as markup: ids come from outside. */
const rowOf = (line, decisions) => {
  const row = document.createElement('tr');
  const link = element('a', element('time', line.time));
  link.href = decisions + encodeURIComponent(line.id);
  const outcome = element('span', line.allow ? 'allowed' : 'denied');
  outcome.className = line.allow ? 'allowed' : 'denied';
  const others = [line.user, line.scope, line.resource, line.tenancy, line.because];
  row.append(...[link, outcome, element('code', line.action), ...others].map(cell));
  row.className = 'fresh';
  return row;
};

const watch = (live) => {
  const body = live.querySelector('tbody');
  const state = document.getElementById('live-state');
  const pause = document.getElementById('pause');
  let isPaused = false;
  let missed = 0;
  const say = (text) => {
    if (state.textContent !== text) state.textContent = text;
  };
  const listed = new Set([...body.rows].map((row) => row.dataset.id));
  const source = new EventSource(live.dataset.events);
  source.addEventListener('open', () => say(isPaused ? 'Paused.' : 'Watching.'));
  source.addEventListener('error', () => say('Not connected; trying again.'));
  source.addEventListener('message', ({ data }) => {
    const { lines, left } = JSON.parse(data);
    // A stream begins with the last ones; a record of many questions has a row for each.
    const fresh = lines.filter(({ id }) => !listed.has(id));
    fresh.forEach(({ id }) => listed.add(id));
    missed += left + (isPaused ? fresh.length : 0);
    const rows = isPaused ? [] : fresh.map((line) => rowOf(line, live.dataset.decisions));
    body.prepend(...rows.reverse());
    while (body.rows.length > MAX_ROWS) body.lastElementChild.remove();
    say(`${isPaused ? 'Paused.' : 'Watching.'}${missed > 0 ? ` ${missed} skipped.` : ''}`);
  });
  pause.hidden = false;
  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    pause.setAttribute('aria-pressed', String(isPaused));
    say(isPaused ? 'Paused.' : 'Watching.');
  });
};

const STEPS = {
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
};

/** One stop of the tab key for a table, as in any grid. */
const walk = (table) => {
  const rows = [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll('td a')]);
  rows.flat().forEach((link, at) => {
    link.tabIndex = at === 0 ? 0 : -1;
  });
  table.addEventListener('keydown', (event) => {
    const step = STEPS[event.key];
    const at = rows.findIndex((row) => row.includes(event.target));
    if (step === undefined || at === -1 || event.altKey || event.ctrlKey || event.metaKey) return;
    const next = rows[at + step[0]]?.[rows[at].indexOf(event.target) + step[1]];
    event.preventDefault();
    if (next === undefined) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
};

const live = document.getElementById('live');
if (live !== null) watch(live);
document.querySelectorAll('table.matrix').forEach(walk);
