import {
  type Condition,
  ConflictError,
  fieldOf,
  nodeInHandover,
  type Obligations,
} from '@tenure/contracts';

interface Row {
  readonly uuid: string;
}

/**
 * Refuses a write that the policy allowed only under conditions, unless the row matches them. A condition that cannot be
 * evaluated is not met.
 * @param row as it is at the very revision that is written over
 * @param what for the caller, for example `change owner of node`
 * @throws ConflictError `condition_not_met`, naming the action that would have been needed; `node_in_handover`
 */
export function assertConditions(
  row: Row,
  { conditions = [], fields }: Obligations,
  what: string,
): void {
  const violated = conditions.find((condition) => !holds(row, condition));
  if (violated === undefined) return;
  if (violated.field === 'handover_uuid') throw nodeInHandover(row.uuid);
  throw new ConflictError(
    'condition_not_met',
    `Cannot ${what} ${row.uuid}${because(row, violated, fields.masked)}; ${violated.action} is required.`,
  );
}

function holds(row: Row, condition: Condition): boolean {
  const { field } = condition;
  if (condition.op === 'null') return (fieldOf(row, field) ?? null) === null;
  const { value } = condition;
  if (!Object.hasOwn(row, field)) return false;
  const current = fieldOf(row, field);
  if (current === null) return true;
  return (
    (typeof current === 'string' || typeof current === 'boolean' || typeof current === 'number') &&
    String(current) !== value
  );
}

function because(row: Row, condition: Condition, masked: readonly string[]): string {
  const { field } = condition;
  if (!Object.hasOwn(row, field) || typeof fieldOf(row, field) === 'object')
    return `, because it has no ${field} to judge by`;
  const value = condition.op === 'null' ? 'set' : condition.value;
  return masked.includes(field) ? '' : ` while its ${field} is ${value}`;
}
