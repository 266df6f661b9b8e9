import { counted } from '../../../terminal/counted.js';
import { type Group } from './groups.js';

/** The result of a replay. */
export interface ReplayReport {
  /** Of the policy that was evaluated. */
  readonly revision: string;
  /** Questions that were evaluated again. */
  readonly replayed: number;
  /** Records whose question is masked in the log. */
  readonly skipped: number;
  readonly newly_allowed: readonly Group[];
  readonly newly_denied: readonly Group[];
  /** Allowed or denied as before, with other obligations. */
  readonly changed: readonly Group[];
  /** Groups that make the command fail: of the kind of `--fail-on`, and not approved. */
  readonly unapproved: readonly Group[];
}

/** A replay as a person reads it. */
export function replayLines(report: ReplayReport): readonly string[] {
  const lines = [
    `${counted(report.replayed)} questions put to ${report.revision}`,
    ...(report.skipped > 0 ? [`${report.skipped} records skipped: masked in the log`] : []),
    ...section('newly allowed', report.newly_allowed),
    ...section('newly denied', report.newly_denied),
    ...section('allowed or denied as before, with other obligations', report.changed),
  ];
  const isSame =
    report.newly_allowed.length + report.newly_denied.length + report.changed.length === 0;
  return [...lines, ...(isSame ? ['no difference'] : [])];
}

const section = (title: string, groups: readonly Group[]): readonly string[] =>
  groups.length === 0
    ? []
    : [`${title}: ${groups.reduce((sum, { count }) => sum + count, 0)}`, ...groups.map(groupLine)];

const groupLine = ({ tenant, persona, action, grant, count, decisions }: Group): string =>
  `  ${String(count).padStart(7)}  ${action}  ${persona} of ${tenant}${grant === '' ? '' : ` by ${grant}`}  (${decisions[0] ?? ''}…)`;
