import { type Static, Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { type Group } from './groups.js';

const Name = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));
const Approval = Type.Object(
  { action: Name, tenant: Name, persona: Name, grant: Name, reason: Name },
  { additionalProperties: false, minProperties: 1 },
);
const Approvals = Type.Array(Approval, { maxItems: 10_000 });

const FACTS = ['action', 'tenant', 'persona', 'grant'] as const;

/**
 * Approved differences: a list of objects with any of action, tenant, persona, grant, and a reason for readers.
 * @returns whether a group of differences is covered
 * @throws Error when it is no such list
 */
export function approvalsOf(parsed: unknown): (group: Group) => boolean {
  if (!matches(Approvals, parsed) || parsed.some((one) => FACTS.every((fact) => !(fact in one))))
    throw new Error(
      'approvals are a list of objects with at least one of action, tenant, persona, grant, and perhaps reason',
    );
  return (group) => parsed.some((approval) => covers(approval, group));
}

const covers = (approval: Static<typeof Approval>, group: Group): boolean =>
  FACTS.every((fact) => approval[fact] === undefined || approval[fact] === group[fact]);
