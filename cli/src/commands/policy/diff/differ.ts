import { type PolicyMaterial } from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';
import { distributed, type Progress, runInThreads } from '../worker-threads.js';
import { joined } from './changes.js';
import { type Both, compare, type Comparison } from './compare.js';
import { type Model } from './model.js';

/** The task of one thread. */
export interface DiffTask {
  readonly materials: Both<PolicyMaterial>;
  /** The actions of the model; all when empty. */
  readonly actions: readonly string[];
  /** Indexes into the settings of the model. */
  readonly settings: readonly number[];
}

/** The policies and the model to compare them over. */
export interface DiffOrder {
  readonly policies: Both<LoadedPolicy>;
  readonly model: Model;
  readonly actions: readonly string[];
  /** Threads. */
  readonly jobs: number;
}

/**
 * Compares two policies over a model, with several threads when there are jobs for them.
 * @throws PolicyRefused or PolicyFailure when one of them cannot be evaluated
 */
export async function differ(
  { policies, model, actions, jobs }: DiffOrder,
  progress: Progress,
): Promise<Comparison> {
  // The same bytes under the same switches give the same answers, so no question is needed.
  if (policies[0].revision === policies[1].revision) return { questions: 0, changes: [] };
  const parts = distributed([...model.settings.keys()], jobs);
  const materials = [policies[0].material, policies[1].material] as const;
  const tasks = parts.map((settings): DiffTask => ({ materials, actions, settings }));
  const [only] = parts;
  const found =
    only !== undefined && parts.length === 1
      ? [await compare(policies, model, only, progress)]
      : await runInThreads<Comparison>(
          new URL('./differ-thread.js', import.meta.url),
          tasks,
          progress,
        );
  // In the order of one thread, so that the report does not depend on how many there were.
  const inOrder = found
    .flatMap(({ changes }) => changes)
    .toSorted((one, other) => (one.settings[0] ?? 0) - (other.settings[0] ?? 0));
  return {
    questions: found.reduce((sum, { questions }) => sum + questions, 0),
    changes: joined(inOrder),
  };
}
