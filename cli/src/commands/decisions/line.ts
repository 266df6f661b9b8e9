import { type LoggedDecision } from '@tenure/decision-log';
import { answersOf, type LoggedAnswer, memberOf } from '@tenure/policy';
import { printable } from '../../terminal/printable.js';

const NS_PER_US = 1000;

/** A decision as a person reads it, a line for each of its questions. */
export function decisionLines({ timestamp, record }: LoggedDecision): readonly string[] {
  const input = memberOf(record, 'input');
  const subject = memberOf(input, 'subject');
  const resource = memberOf(input, 'resource');
  const took = memberOf(memberOf(record, 'metrics'), 'timer_rego_query_eval_ns');
  return answersOf(record).map((answer) =>
    [
      timestamp,
      answer.allow ? 'allow' : 'DENY ',
      answer.action,
      ...labelled('user', memberOf(subject, 'user_id')),
      ...scopeOf(subject),
      ...labelled(kindOf(resource), memberOf(resource, 'id')),
      ...labelled('owner', memberOf(resource, 'owner')),
      ...labelled('lessee', memberOf(resource, 'lessee')),
      outcomeOf(answer),
      ...(typeof took === 'number' ? [`${Math.round(took / NS_PER_US)}µs`] : []),
      String(memberOf(record, 'decision_id')),
    ].join(' '),
  );
}

const labelled = (name: string, value: unknown): readonly string[] =>
  typeof value === 'string' && value !== '' ? [`${name}=${printable(value)}`] : [];

const scopeOf = (subject: unknown): readonly string[] => [
  ...labelled('project', memberOf(subject, 'project_id')),
  ...labelled('system', memberOf(subject, 'system_scope')),
  ...labelled('domain', memberOf(subject, 'domain_id')),
];

function kindOf(resource: unknown): string {
  const type = memberOf(resource, 'type');
  return typeof type === 'string' ? type : 'resource';
}

const outcomeOf = ({ allow, grants, reason }: LoggedAnswer): string =>
  allow ? `grants=${grants.join(',')}` : `reason=${reason}`;
