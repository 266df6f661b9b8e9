import { type NodeRecord } from '@tenure/contracts';
import { type Fields, membersOf } from '../members.js';
import { PENDING_PROVISION } from './pending.js';

/** Member of the pending record with the parts of the running work. Any other write of the pending record leaves it out. */
const PARTS = 'parts';

/** A part that was begun, but is not recorded as done. */
interface BegunPart {
  readonly name: string;
  /** How often it was begun: once after each restart. */
  readonly times: number;
  /** Its command may have arrived. */
  readonly sent: boolean;
}

/** How far one piece of work is: a job, one step, or one boot of the agent. */
export interface WorkParts {
  /** The parts that are recorded as done, in their order. */
  readonly done: readonly string[];
  /** Values that were read before a change, by name. */
  readonly notes: Readonly<Record<string, string>>;
  readonly begun?: BegunPart | undefined;
}

const NOTHING: WorkParts = { done: [], notes: {} };

/** True when a node has a pending record, in which parts can be kept. */
export const keepsParts = (node: NodeRecord): boolean =>
  node.driver_internal_info[PENDING_PROVISION] !== undefined;

/** The parts of the piece of work named `unit`; undefined when it was not begun. */
export function begunParts(node: NodeRecord, unit: string): WorkParts | undefined {
  const { of, done, notes, begun } = membersOf(recordOf(node)[PARTS]);
  return of === unit
    ? { done: textsIn(done), notes: notesIn(notes), begun: begunIn(begun) }
    : undefined;
}

/** The parts of the piece of work named `unit`, none when it was not begun. */
export const partsOf = (node: NodeRecord, unit: string): WorkParts =>
  begunParts(node, unit) ?? NOTHING;

/** `driver_internal_info` with how far the piece of work named `unit` is. */
export const withParts = (
  node: NodeRecord,
  unit: string,
  { done, notes, begun }: WorkParts = NOTHING,
): Fields => ({
  ...node.driver_internal_info,
  [PENDING_PROVISION]: {
    ...recordOf(node),
    [PARTS]: { of: unit, done, notes, ...(begun !== undefined && { begun }) },
  },
});

const recordOf = (node: NodeRecord): Fields =>
  membersOf(node.driver_internal_info[PENDING_PROVISION]);

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const notesIn = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(membersOf(value)).flatMap(([name, note]) =>
      typeof note === 'string' ? [[name, note]] : [],
    ),
  );

function begunIn(value: unknown): BegunPart | undefined {
  const { name, times, sent } = membersOf(value);
  return typeof name === 'string' && typeof times === 'number' && Number.isSafeInteger(times)
    ? { name, times, sent: sent === true }
    : undefined;
}
