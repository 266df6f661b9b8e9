import { at, entriesOf, type Of } from './entries.js';
import { type Entry, type FinalState } from './history.js';
import { isTransient } from './rest.js';
import { wrongAnswers } from './wrong-answers.js';

type OrderEntry = Of<'order'>;

/** A violation of an order's promise, with its check. */
const ORDER_FAULTS: readonly (readonly [what: string, isSo: (order: OrderEntry) => boolean])[] = [
  ['was sent more than once', ({ commands }) => commands.length > 1],
  [
    'was refused, and sent',
    ({ outcome, commands }) => outcome === 'refused' && commands.length > 0,
  ],
  ['did not come to an end', ({ end }) => end === null],
  [
    'was accepted, and is neither done nor failed',
    ({ outcome, end, target, isIgnored }) =>
      outcome === 'ok' && end?.state !== target && end?.error === null && !isIgnored,
  ],
];

/** Returns the violations found in a run, one sentence each. Empty when the run is good. */
export const violations = (entries: readonly Entry[], end: FinalState): readonly string[] => [
  ...lostWrites(entries, end),
  ...wrongOrders(entries),
  ...sharedLocks(entries),
  ...allocatedTwice(entries),
  ...endless(entries),
  ...seenByFormer(entries),
  ...wrongAnswers(entries, end),
  ...notAtRest(end),
  ...misplaced(end),
  ...(end.decisionLog === null ? [] : [`the decision log: ${end.decisionLog}`]),
  ...end.notReady.map((part) => `${part} is not ready`),
];

const lostWrites = (entries: readonly Entry[], { nodes }: FinalState): readonly string[] =>
  entriesOf(entries, 'write')
    .filter(({ outcome }) => outcome !== 'unknown')
    .filter(({ node, key, outcome }) => {
      const extra = nodes.find(({ uuid }) => uuid === node)?.extra ?? {};
      return Object.hasOwn(extra, key) !== (outcome === 'ok');
    })
    .map((entry) =>
      entry.outcome === 'ok'
        ? `${at(entry)}: the acknowledged write of ${entry.key} on ${entry.node} is lost`
        : `${at(entry)}: the refused write of ${entry.key} on ${entry.node} was done`,
    );

const wrongOrders = (entries: readonly Entry[]): readonly string[] =>
  entriesOf(entries, 'order').flatMap((order) =>
    ORDER_FAULTS.filter(([, isSo]) => isSo(order)).map(
      ([what]) => `${at(order)}: ${order.target} of ${order.node} ${what}`,
    ),
  );

/** A fence has one holder, and with a larger one nothing is written under a smaller one any more. */
function sharedLocks(entries: readonly Entry[]): readonly string[] {
  const inOrder = [...entriesOf(entries, 'lock')].sort((a, b) => a.revision - b.revision);
  const last = new Map<string, Of<'lock'>>();
  return inOrder.flatMap((entry) => {
    const { node, holder, fence } = entry;
    const before = last.get(node);
    last.set(node, entry);
    if (before === undefined) return [];
    const what = `${at(entry)}: ${holder} wrote under the lock ${String(fence)} of ${node}`;
    if (fence < before.fence) return [`${what} after lock ${String(before.fence)} was taken`];
    if (fence === before.fence && holder !== before.holder)
      return [`${what}, which is ${before.holder}'s`];
    return [];
  });
}

function allocatedTwice(entries: readonly Entry[]): readonly string[] {
  const owners = new Map<string, string>();
  return entries.flatMap((entry) => {
    if (entry.kind === 'released' && owners.get(entry.node) === entry.allocation)
      owners.delete(entry.node);
    if (entry.kind !== 'allocated') return [];
    const other = owners.get(entry.node);
    owners.set(entry.node, entry.allocation);
    return other === undefined || other === entry.allocation
      ? []
      : [`${at(entry)}: ${entry.node} is allocated to ${other} and by ${entry.allocation}`];
  });
}

const endless = (entries: readonly Entry[]): readonly string[] =>
  entriesOf(entries, 'waiting').map(
    (entry) => `${at(entry)}: allocation ${entry.allocation} did not come to an end`,
  );

const seenByFormer = (entries: readonly Entry[]): readonly string[] =>
  entriesOf(entries, 'former')
    .filter(({ status }) => status !== null && status < 400)
    .map(
      (entry) =>
        `${at(entry)}: ${entry.line} of a tenant whose tenancy had ended: ${String(entry.status)}`,
    );

const notAtRest = ({ nodes, allocations, handovers }: FinalState): readonly string[] => [
  ...nodes
    .filter(({ reservation }) => reservation !== null)
    .map(({ uuid, reservation }) => `${uuid} is still reserved by ${String(reservation)}`),
  ...nodes
    .filter(({ provisionState }) => isTransient(provisionState))
    .map(({ uuid, provisionState }) => `${uuid} is still ${provisionState}`),
  ...nodes
    .filter(({ targetPowerState }) => targetPowerState !== null)
    .map(
      ({ uuid, targetPowerState }) => `${uuid} still has the target ${String(targetPowerState)}`,
    ),
  ...allocations
    .filter(({ state }) => state === 'allocating')
    .map(({ uuid }) => `allocation ${uuid} is still allocating`),
  ...handovers
    .filter(({ status }) => status !== 'complete' && status !== 'failed')
    .map(({ uuid, status }) => `handover ${uuid} is still ${status}`),
];

/** Nodes that an allocation has which no longer exists, and the other way round. */
function misplaced({ nodes, allocations }: FinalState): readonly string[] {
  const existing = new Set(allocations.map(({ uuid }) => uuid));
  return nodes
    .filter(({ allocation }) => allocation !== null && !existing.has(allocation))
    .map(
      ({ uuid, allocation }) =>
        `${uuid} is allocated to ${String(allocation)}, which does not exist`,
    );
}
