import { type LoggedDecision } from '@tenure/decision-log';
import {
  answersOf,
  isJsonObject,
  type JsonObject,
  type LoggedAnswer,
  memberOf,
} from '@tenure/policy';
import { type QueriedPolicy } from '../queried-policy.js';

/** A difference between the logged answer to one question and the answer of another policy. */
export interface Difference {
  readonly kind: 'newly_allowed' | 'newly_denied' | 'changed';
  /** The project of the caller, `system`, or `domain …`. */
  readonly tenant: string;
  readonly persona: string;
  readonly action: string;
  /** By which it is allowed now, or was before; several are joined by a comma. */
  readonly grant: string;
  readonly decisionId: string;
}

export interface Replayed {
  /** Questions that were put to the policy again. */
  readonly questions: number;
  readonly differences: readonly Difference[];
}

/** Strongest first: a token is named by its strongest role, not by the roles that it implies. */
const ROLES = ['admin', 'manager', 'member', 'service', 'reader'];

type Answered = Pick<LoggedAnswer, 'allow' | 'grants' | 'result'>;

/**
 * Evaluates a logged decision against another policy.
 * @returns undefined when the question is masked in the log
 */
export function replayed({ record }: LoggedDecision, policy: QueriedPolicy): Replayed | undefined {
  const input = memberOf(record, 'input');
  // Erased members are not in the contract, so no rule reads them; a masked value may have decided the answer.
  if (!isJsonObject(input) || !isUnmasked(record)) return undefined;
  const answers = answersOf(record);
  const differences = answers.flatMap((before): readonly Difference[] => {
    const after = askAgain(policy, before.question);
    const kind = kindOf(before, after);
    if (kind === undefined) return [];
    return [
      {
        kind,
        tenant: tenantOf(memberOf(input, 'subject')),
        persona: personaOf(input),
        action: before.action,
        grant: (after.allow ? after : before).grants.join(','),
        decisionId: String(record['decision_id']),
      },
    ];
  });
  return { questions: answers.length, differences };
}

const isUnmasked = (record: JsonObject): boolean => !Object.hasOwn(record, 'masked');

function askAgain(policy: QueriedPolicy, question: JsonObject): Answered {
  try {
    const answer = policy.ask(question);
    return { allow: answer.allow, grants: answer.grants, result: { ...answer } };
  } catch {
    return { allow: false, grants: [], result: undefined }; // as the decision point: a failure is a denial
  }
}

function kindOf(before: Answered, after: Answered): Difference['kind'] | undefined {
  if (before.allow !== after.allow) return after.allow ? 'newly_allowed' : 'newly_denied';
  return obligationsOf(before.result) === obligationsOf(after.result) ? undefined : 'changed';
}

function tenantOf(subject: unknown): string {
  const project = memberOf(subject, 'project_id');
  const domain = memberOf(subject, 'domain_id');
  if (typeof project === 'string') return project;
  if (typeof memberOf(subject, 'system_scope') === 'string') return 'system';
  return typeof domain === 'string' ? `domain ${domain}` : 'unscoped';
}

/** A caller as a text: its relation to the resource, and its strongest role. */
function personaOf(input: unknown): string {
  const subject = memberOf(input, 'subject');
  const resource = memberOf(input, 'resource');
  const project = memberOf(subject, 'project_id');
  const rawRoles = memberOf(subject, 'roles');
  const names = Array.isArray(rawRoles) ? rawRoles.map((role) => String(role).toLowerCase()) : [];
  const role = ROLES.find((name) => names.includes(name)) ?? textOr(names[0], 'no role');
  const placeOf = (): string => {
    if (typeof project !== 'string') return tenantOf(subject);
    if (memberOf(resource, 'owner') === project) return 'owner';
    return memberOf(resource, 'lessee') === project ? 'lessee' : 'project';
  };
  return `${placeOf()} ${role}`;
}

/** The members of an answer, beside `allow`, that the gateway and the services act on. */
const obligationsOf = (result: JsonObject | undefined): string =>
  JSON.stringify(
    ['visible', 'filter', 'fields', 'set', 'conditions', 'denied'].map((name) =>
      memberOf(result, name),
    ),
  );

const textOr = (value: unknown, other: string): string =>
  typeof value === 'string' && value !== '' ? value : other;
