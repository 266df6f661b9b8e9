import { PROVISION_TARGET } from '@tenure/contracts';
import { type BusyState } from './states.js';

/** Values that a client may send as `target`, with their verbs of the state machine. */
type Verb = (typeof PROVISION_TARGET)[keyof typeof PROVISION_TARGET];

export type ProvisionEvent = Verb['event'];

export const VERBS: ReadonlyMap<string, Verb> = new Map(Object.entries(PROVISION_TARGET));

/** Where a verb leads: into work that leads to `target`, or at once into a state where nothing is done. */
export type Transition =
  | { readonly kind: 'work'; readonly enters: BusyState; readonly target: string }
  | { readonly kind: 'rest'; readonly enters: string; readonly target: string | null };

type Row = readonly [event: ProvisionEvent, from: readonly string[], to: Transition];

const work = (enters: BusyState, target: string): Transition => ({ kind: 'work', enters, target });
const rest = (enters: string, target: string | null = null): Transition => ({
  kind: 'rest',
  enters,
  target,
});

/** The state machine: the verbs that a node accepts in each state. Verbs that are not listed are refused. */
export const TRANSITIONS: readonly Row[] = [
  ['manage', ['enroll'], work('verifying', 'manageable')],
  ['manage', ['available', 'clean failed', 'inspect failed', 'adopt failed'], rest('manageable')],
  ['inspect', ['manageable', 'inspect failed'], work('inspecting', 'manageable')],
  ['provide', ['manageable'], work('cleaning', 'available')],
  ['clean', ['manageable'], work('cleaning', 'manageable')],
  ['adopt', ['manageable', 'adopt failed'], work('adopting', 'active')],
  ['deploy', ['available', 'deploy failed'], work('deploying', 'active')],
  ['rebuild', ['active', 'deploy failed', 'error'], work('deploying', 'active')],
  [
    'delete',
    [
      'active',
      'wait call-back',
      'deploy failed',
      'error',
      'rescue',
      'rescue wait',
      'rescue failed',
      'unrescue failed',
      'service failed',
    ],
    work('deleting', 'available'),
  ],
  [
    'rescue',
    ['active', 'rescue', 'rescue failed', 'unrescue failed', 'service failed'],
    work('rescuing', 'rescue'),
  ],
  ['unrescue', ['rescue', 'rescue failed', 'unrescue failed'], work('unrescuing', 'active')],
  ['service', ['active', 'service failed'], work('servicing', 'active')],
  ['unhold', ['clean hold'], work('cleaning', 'manageable')],
  ['unhold', ['deploy hold'], work('deploying', 'active')],
  ['unhold', ['service hold'], work('servicing', 'active')],
  ['abort', ['clean wait', 'clean hold'], rest('clean failed', 'available')],
  ['abort', ['deploy hold'], rest('deploy failed', 'active')],
  ['abort', ['inspect wait'], rest('inspect failed', 'manageable')],
  ['abort', ['rescue wait'], rest('rescue failed', 'rescue')],
  ['abort', ['service wait', 'service hold'], rest('service failed', 'active')],
  ['abort', ['service failed'], rest('active')],
];

export const verbOf = (target: string): Verb | undefined => VERBS.get(target);

/** The transition of an event in a state; undefined when the state does not accept the event. */
export const transitionOf = (event: ProvisionEvent, state: string): Transition | undefined =>
  TRANSITIONS.find(([name, from]) => name === event && from.includes(state))?.[2];
