import { type PolicyMaterial } from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';
import { distributed, type Progress, runInThreads } from '../worker-threads.js';
import { type Assignment, examine, type Examination } from './examine.js';
import { mergedFinding } from './tally.js';

/** The task of one thread. */
export interface ThreadTask {
  /** The content, not file names: a pipe can be read only once, and a file may change. */
  readonly material: PolicyMaterial;
  readonly assignment: Assignment;
}

/** Splits the work by switches, as evenly as possible. */
export const split = ({ actions, settings }: Assignment, parts: number): readonly Assignment[] =>
  distributed(settings, parts).map((own) => ({ actions, settings: own }));

/** Merges the findings of all parts. */
export const merged = (parts: readonly Examination[]): Examination =>
  parts.reduce((one, other) => ({
    questions: one.questions + other.questions,
    findings: one.findings.flatMap((finding, at) => {
      const same = other.findings[at];
      return same === undefined ? [finding] : [mergedFinding(finding, same)];
    }),
  }));

/**
 * Examines a policy with several threads, each with a policy of its own, when there are jobs for them.
 * @throws the error of a thread, as `examine` does
 */
export async function examineWith(
  policy: LoadedPolicy,
  assignment: Assignment,
  jobs: number,
  progress: Progress,
): Promise<Examination> {
  const parts = split(assignment, jobs);
  if (parts.length <= 1) return examine(policy, assignment, progress);
  const { material } = policy;
  const tasks = parts.map((part): ThreadTask => ({ material, assignment: part }));
  const thread = new URL('./examiner-thread.js', import.meta.url);
  return merged(await runInThreads<Examination>(thread, tasks, progress));
}
