import { seenJson } from '@tenure/contracts';
import { type JsonObject, memberOf } from './json-object.js';
import { answersOf } from './logged-answers.js';

/** Criteria of a search; all of them apply. */
export interface DecisionFilter {
  readonly user?: string;
  readonly project?: string;
  /** Id of the resource. */
  readonly node?: string;
  readonly action?: string;
  readonly request?: string;
  readonly denied?: true;
  readonly allowed?: true;
  readonly until?: string;
}

/** Whether a decision is one of those that are looked for. `project` is that of the caller or of the resource. */
export function matchesFilter(
  { timestamp, record }: { readonly timestamp: string; readonly record: JsonObject },
  filter: DecisionFilter,
): boolean {
  const input = memberOf(record, 'input');
  const subject = memberOf(input, 'subject');
  const resource = memberOf(input, 'resource');
  const answers = answersOf(record).filter(({ action }) => isOr(filter.action, action));
  const projects = [
    memberOf(subject, 'project_id'),
    memberOf(resource, 'owner'),
    memberOf(resource, 'lessee'),
  ];
  return [
    isOr(filter.user, memberOf(subject, 'user_id')),
    isOr(filter.node, memberOf(resource, 'id')),
    isOr(filter.request, memberOf(record, 'req_id')),
    filter.project === undefined || projects.includes(filter.project),
    filter.until === undefined || timestamp <= filter.until,
    filter.denied !== true || answers.some(({ allow }) => !allow),
    filter.allowed !== true || answers.some(({ allow }) => allow),
    answers.length > 0,
  ].every(Boolean);
}

/** Looks at the bytes of a line first: most lines need not be parsed. */
export function mayMatch(filter: DecisionFilter): (line: Buffer) => boolean {
  const texts = [filter.user, filter.project, filter.node, filter.action, filter.request]
    .filter((text) => text !== undefined)
    .map((text) => JSON.stringify(text).slice(1, -1))
    // In the current form, and in the form of earlier releases.
    .map((text) => [...new Set([seenJson(text), text])].map((one) => Buffer.from(one)));
  return (line) => texts.every((forms) => forms.some((form) => line.includes(form)));
}

const isOr = (wanted: string | undefined, value: unknown): boolean =>
  wanted === undefined || value === wanted;
