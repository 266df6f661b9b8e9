import { EMPTY_STATE, revisionsOf } from '../domain/stored-state.js';
import { type PolicyParts } from '../ports/policy-source.js';
import { type PolicyStore } from '../ports/policy-store.js';

/** For a decision point without a data directory: bundles are lost when the process ends. */
export function createMemoryPolicyStore(): PolicyStore {
  const kept = new Map<string, PolicyParts>();
  return {
    load: () => Promise.resolve(EMPTY_STATE),
    save: (state) => {
      const needed = revisionsOf(state);
      for (const revision of [...kept.keys()]) if (!needed.has(revision)) kept.delete(revision);
      return Promise.resolve();
    },
    put: (revision, parts) => {
      kept.set(revision, parts);
      return Promise.resolve();
    },
    get: (revision) => Promise.resolve(kept.get(revision)),
  };
}
