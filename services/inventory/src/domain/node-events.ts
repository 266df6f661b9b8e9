import { type NodeEvent, type NodeRecord } from '@tenure/contracts';

const TYPE_OF_STATE: Readonly<Record<string, string>> = {
  verifying: 'verifying',
  deploying: 'provisioning',
  'wait call-back': 'provisioning',
  'deploy hold': 'provisioning',
  rebuild: 'provisioning',
  deleting: 'unprovisioning',
  cleaning: 'cleaning',
  'clean wait': 'cleaning',
  'clean hold': 'cleaning',
  inspecting: 'introspection',
  'inspect wait': 'introspection',
  adopting: 'adoption',
  rescuing: 'rescue',
  'rescue wait': 'rescue',
  unrescuing: 'unrescue',
  servicing: 'servicing',
  'service wait': 'servicing',
  'service hold': 'servicing',
};

/** The history event of a write; undefined when there is none. One event, even for several changes. */
export function eventOf(before: NodeRecord, after: NodeRecord): NodeEvent | undefined {
  const sentences = sentencesOf(before, after);
  if (sentences.length === 0) return undefined;
  return {
    severity: failureIn(before, after) === undefined ? 'INFO' : 'ERROR',
    event: sentences.join(' '),
    event_type: typeOf(before, after),
  };
}

const sentencesOf = (before: NodeRecord, after: NodeRecord): readonly string[] => [
  ...[failureIn(before, after) ?? []].flat(),
  ...moveSentence('provision', before.provision_state, after.provision_state),
  ...moveSentence('power', before.power_state, after.power_state),
  ...(before.maintenance === after.maintenance
    ? []
    : [after.maintenance ? 'Maintenance was set.' : 'Maintenance was ended.']),
  ...(isTakenOver(before, after) ? ['The work of an expired conductor was taken over.'] : []),
];

// The same sentence again is the same write again, whose answer was lost.
const failureIn = (before: NodeRecord, after: NodeRecord): string | undefined =>
  typeof after.last_error === 'string' &&
  after.last_error !== '' &&
  after.last_error !== before.last_error
    ? after.last_error
    : undefined;

// A power change in the course of a deployment is part of the deployment.
function typeOf(before: NodeRecord, after: NodeRecord): string | null {
  const work = TYPE_OF_STATE[before.provision_state] ?? TYPE_OF_STATE[after.provision_state];
  if (work !== undefined) return work;
  if (before.target_power_state !== null || before.power_state !== after.power_state)
    return 'power';
  return before.maintenance === after.maintenance ? null : 'maintenance';
}

const moveSentence = (what: string, before: string | null, after: string | null): string[] =>
  before === after ? [] : [`The ${what} state went from ${named(before)} to ${named(after)}.`];

const isTakenOver = (before: NodeRecord, after: NodeRecord): boolean =>
  before.reservation !== null &&
  after.reservation !== null &&
  before.reservation !== after.reservation;

const named = (state: string | null): string => (state === null ? 'unknown' : `'${state}'`);
