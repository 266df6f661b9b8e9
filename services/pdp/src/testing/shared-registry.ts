import { type DesiredRevision } from '../domain/desired-revision.js';
import { type ReplicaMessage, type ReplicaReport } from '../domain/replica-messages.js';
import { type PolicyParts } from '../ports/policy-source.js';
import { type ReplicaRegistry } from '../ports/replica-registry.js';

/** A registry in memory for any number of replicas. It can be made unavailable. */
export interface SharedRegistry {
  readonly registry: () => ReplicaRegistry;
  isAway: boolean;
  desired: DesiredRevision | undefined;
  readonly bundles: Map<string, PolicyParts>;
  readonly reports: Map<string, ReplicaReport>;
  /** Every message that was published. */
  readonly messages: ReplicaMessage[];
}

export function createSharedRegistry(): SharedRegistry {
  const listeners: ((message: ReplicaMessage) => void)[] = [];
  const markOf = (desired: DesiredRevision | undefined): string => JSON.stringify(desired ?? null);
  const shared: SharedRegistry = {
    isAway: false,
    desired: undefined,
    bundles: new Map(),
    reports: new Map(),
    messages: [],
    registry: () => ({
      readDesired: there(() => ({ desired: shared.desired, mark: markOf(shared.desired) })),
      writeDesired: there((desired: DesiredRevision, { mark }: { readonly mark: string }) => {
        if (mark !== markOf(shared.desired)) return false;
        shared.desired = desired;
        return true;
      }),
      putBundle: there((revision: string, parts: PolicyParts) => {
        shared.bundles.set(revision, parts);
      }),
      getBundle: there((revision: string) => shared.bundles.get(revision)),
      report: there((report: ReplicaReport) => {
        shared.reports.set(report.id, report);
      }),
      remove: there((id: string) => {
        shared.reports.delete(id);
      }),
      reports: there(() => [...shared.reports.values()]),
      publish: there((message: ReplicaMessage) => {
        shared.messages.push(message);
        for (const listener of listeners) listener(message);
      }),
      subscribe: (onMessage) => {
        listeners.push((message) => {
          if (!shared.isAway) onMessage(message);
        });
      },
    }),
  };
  const there =
    <A extends readonly unknown[], T>(work: (...given: A) => T): ((...given: A) => Promise<T>) =>
    (...given) =>
      shared.isAway
        ? Promise.reject(new Error('the registry is away'))
        : Promise.resolve(work(...given));
  return shared;
}
