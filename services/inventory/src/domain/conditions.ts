import { type Condition, ConflictError, type Obligations } from '@tenure/contracts';

type Row = Readonly<Record<string, unknown>> & { readonly uuid: string };

const holds = (row: Row, { field, value }: Condition): boolean => {
  if (!Object.hasOwn(row, field)) return false;
  const current = row[field];
  if (current === null) return true;
  return (
    (typeof current === 'string' || typeof current === 'boolean' || typeof current === 'number') &&
    String(current) !== value
  );
};

const because = (row: Row, { field, value }: Condition, masked: readonly string[]): string => {
  if (!Object.hasOwn(row, field) || typeof row[field] === 'object')
    return `, because it has no ${field} to judge by`;
  return masked.includes(field) ? '' : ` while its ${field} is ${value}`;
};

/**
 * Refuses what the policy allowed under conditions only. A condition that cannot be judged is not met.
 * @param row as it is at the very revision that is written over
 * @param what for the caller, for example `change owner of node`
 * @throws ConflictError `condition_not_met`, naming the action that would have been needed
 */
export const assertConditions = (
  row: Row,
  { conditions = [], fields }: Obligations,
  what: string,
): void => {
  const violated = conditions.find((condition) => !holds(row, condition));
  if (violated === undefined) return;
  throw new ConflictError(
    'condition_not_met',
    `Cannot ${what} ${row.uuid}${because(row, violated, fields.masked)}; ${violated.action} is required.`,
  );
};
