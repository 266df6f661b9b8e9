// Draws the state machine of a node from the table that the conductor follows, into docs/state-machine.md.
// Usage: node scripts/docs/state-machine.mjs [--check]    (--check: fails when the page is not what the table says)
import {
  busyStateOf,
  failedStateOf,
  holdStateOf,
  isBusyState,
  timedOutStateOf,
} from '../../services/conductor/dist/domain/provision/states.js';
import { TRANSITIONS, VERBS } from '../../services/conductor/dist/domain/provision/transitions.js';
import { writePage } from './write-page.mjs';

/** Tearing down leads into cleaning, which leads to `available` (`tornDownFields`). */
const AFTER_DELETING = 'cleaning';

/** @type {{title: string, busy: string[]}[]} */
const CHAPTERS = [
  {
    title: 'Enrolment, inspection, cleaning, adoption',
    busy: ['verifying', 'inspecting', 'cleaning', 'adopting'],
  },
  { title: 'Deployment and tear-down', busy: ['deploying', 'deleting'] },
  { title: 'Rescue', busy: ['rescuing', 'unrescuing'] },
  { title: 'Service', busy: ['servicing'] },
];

const holdOf = (busy) => {
  try {
    return holdStateOf(busy);
  } catch {
    return undefined;
  }
};

const namesOf = (event) =>
  [...VERBS].filter(([, verb]) => verb.event === event).map(([name]) => name);

const mentioned = TRANSITIONS.flatMap(([, from, { enters, target }]) => [...from, enters, target]);
const states = [...new Set(mentioned.filter((state) => state !== null))];
const busyStates = states.filter(isBusyState);
for (const busy of busyStates)
  for (const other of [failedStateOf(busy), holdOf(busy)])
    if (other !== undefined && !states.includes(other)) states.push(other);

const waitsOf = (busy) => states.filter((state) => timedOutStateOf(state) === failedStateOf(busy));

const doneOf = (busy) =>
  busy === 'deleting'
    ? [AFTER_DELETING]
    : [
        ...new Set(
          TRANSITIONS.flatMap(([, , { kind, enters, target }]) =>
            kind === 'work' && enters === busy ? [target] : [],
          ),
        ),
      ];

/** Every arrow: who draws it, and what it is called. */
const arrows = [
  ...TRANSITIONS.flatMap(([event, from, { enters }]) =>
    from.map((state) => ({ from: state, to: enters, label: event, event })),
  ),
  ...busyStates.flatMap((busy) => [
    ...doneOf(busy).map((to) => ({ from: busy, to, label: 'done' })),
    { from: busy, to: failedStateOf(busy), label: 'fails' },
    ...waitsOf(busy).map((to) => ({ from: busy, to, label: 'waits for the agent' })),
    ...[holdOf(busy)].filter(Boolean).map((to) => ({ from: busy, to, label: 'hold step' })),
  ]),
  ...states
    .filter((state) => timedOutStateOf(state) !== undefined)
    .flatMap((state) => [
      { from: state, to: timedOutStateOf(state), label: 'times out' },
      // An inspection needs nothing more of the conductor than what the agent found.
      { from: state, to: busyStateOf(state) ?? 'manageable', label: 'the agent reports' },
    ]),
];

/** The states that belong to the work of a chapter: those it leaves a node in when it is not done. */
const ownStates = (busy) =>
  busy.flatMap((one) => [one, failedStateOf(one), ...waitsOf(one), holdOf(one)]);

const isOf = ({ busy }, { from, to, event }) => {
  if (event === undefined) return ownStates(busy).includes(from);
  if (isBusyState(to)) return busy.includes(to);
  const own = CHAPTERS.find((chapter) => ownStates(chapter.busy).includes(from)) ?? CHAPTERS[0];
  return own.busy === busy;
};

const idOf = (state) => state.replaceAll(/[^a-z]/gu, '_');

const classOf = (state) => {
  if (isBusyState(state)) return 'busy';
  if (timedOutStateOf(state) !== undefined) return 'waiting';
  return state.endsWith('failed') || state === 'error' ? 'failed' : 'resting';
};

const COLOURS = [
  'classDef busy fill:#dbeafe,stroke:#1d4ed8,color:#000',
  'classDef waiting fill:#fef9c3,stroke:#a16207,color:#000',
  'classDef failed fill:#fee2e2,stroke:#b91c1c,color:#000',
  'classDef resting fill:#dcfce7,stroke:#15803d,color:#000',
];

const diagramOf = (chapter) => {
  const drawn = arrows.filter((arrow) => isOf(chapter, arrow));
  const together = new Map();
  for (const { from, to, label } of drawn) {
    const key = `${idOf(from)} --> ${idOf(to)}`;
    together.set(key, [...new Set([...(together.get(key) ?? []), label])]);
  }
  const visible = states.filter((state) =>
    drawn.some(({ from, to }) => [from, to].includes(state)),
  );
  return [
    `## ${chapter.title}`,
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  direction LR',
    ...COLOURS.map((line) => `  ${line}`),
    ...visible.map((state) => `  state "${state}" as ${idOf(state)}`),
    ...visible.map((state) => `  class ${idOf(state)} ${classOf(state)}`),
    ...[...together].map(([key, labels]) => `  ${key}: ${labels.join(', ')}`),
    '```',
    '',
  ];
};

const code = (text) => `\`${text}\``;
const listed = (names) => names.map(code).join(' or ');

const itemOf = (state) => {
  const verbs = arrows
    .filter(({ from, event }) => from === state && event !== undefined)
    .map(({ to, event }) => `${namesOf(event).map(code).join(' or ')} → ${code(to)}`);
  const isBusy = isBusyState(state);
  const late = timedOutStateOf(state);
  const hold = isBusy ? holdOf(state) : undefined;
  const pauses = isBusy ? [...waitsOf(state), hold].filter((one) => one !== undefined) : [];
  const parts = [
    ...verbs,
    ...(isBusy ? [`done → ${listed(doneOf(state))}`, `fails → ${code(failedStateOf(state))}`] : []),
    ...(pauses.length === 0 ? [] : [`may pause in ${listed(pauses)}`]),
    ...(late === undefined ? [] : [`no report in time → ${code(late)}`]),
  ];
  return `- ${code(state)}: ${parts.join('; ')}`;
};

const text = [
  '# The states of a node',
  '',
  '<!-- Made by scripts/docs/state-machine.mjs from the table that the conductor follows; `make check` compares. -->',
  '',
  'Blue: a conductor works on the node, under its lock. Yellow: the node waits for its agent, unlocked. Red: work failed. Green: the node rests. When the agent of a waiting node reports, the work continues.',
  'A verb that a state does not accept is refused with 400. The verbs are the `target` of `PUT /v1/nodes/{id}/states/provision`.',
  '',
  ...CHAPTERS.flatMap(diagramOf),
  '## As a list',
  '',
  'Where work may end in two states, `target_provision_state` says in which. A retired node goes to `manageable` instead of `available`.',
  'A deployment that was torn down is cleaned before the node is offered again. A node that could not be cleaned is in maintenance as well.',
  '',
  ...states.map(itemOf),
  '',
].join('\n');

const missing = busyStates.filter(
  (busy) => !CHAPTERS.some((chapter) => chapter.busy.includes(busy)),
);
if (missing.length > 0) throw new Error(`no chapter draws ${missing.join(', ')}`);
await writePage('docs/state-machine.md', text, 'node scripts/docs/state-machine.mjs');
