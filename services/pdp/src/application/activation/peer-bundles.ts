import { sleep } from '@tenure/process';
import { type PolicyParts } from '../../ports/policy-source.js';
import { type ReplicaRegistry } from '../../ports/replica-registry.js';
import { debounced } from './debounced.js';

const LOOK_EVERY_MS = 100;
const LOOKS = 20;
/** Revisions that are looked up at a time. A replayed message costs no more. */
const MAX_REQUESTED = 16;

/** Requests the bundle of a revision from the other replicas, and waits two seconds for one of them to publish it. */
export const bundleFromPeers =
  (registry: Pick<ReplicaRegistry, 'getBundle' | 'publish'>) =>
  async (revision: string): Promise<PolicyParts | undefined> => {
    try {
      let parts = await registry.getBundle(revision);
      if (parts === undefined) await registry.publish({ want: revision });
      for (let look = 0; parts === undefined && look < LOOKS; look += 1) {
        await sleep(LOOK_EVERY_MS);
        parts = await registry.getBundle(revision);
      }
      return parts;
    } catch {
      return undefined; // a registry that cannot be used is reported by the replicas
    }
  };

/**
 * Publishes bundles that other replicas request, a few at a time.
 * @param bundleOf the bundle of a revision, when it is stored here
 */
export function createBundlePublisher(
  registry: Pick<ReplicaRegistry, 'putBundle'>,
  bundleOf: (revision: string) => Promise<PolicyParts | undefined>,
): (revision: string) => void {
  const requested = new Set<string>();
  let isBusy = false;

  const publish = async (revision: string): Promise<void> => {
    const parts = await bundleOf(revision);
    if (parts !== undefined) await registry.putBundle(revision, parts);
  };

  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    const all = [...requested];
    requested.clear();
    await Promise.allSettled(all.map(publish));
    isBusy = false;
    if (requested.size > 0) soon.schedule();
  };
  const soon = debounced(() => void work());

  return (revision) => {
    if (requested.size < MAX_REQUESTED) requested.add(revision);
    soon.schedule();
  };
}
