import { type PolicyWish } from '../domain/policy-wish.js';
import { type ReplicaCall, type ReplicaReport } from '../domain/replica-report.js';
import { type PolicyParts } from '../ports/policy-source.js';
import { type ReplicaBoard } from '../ports/replica-board.js';

/** A board in memory, which any number of replicas share, and which may be away. */
export interface SharedBoard {
  readonly board: () => ReplicaBoard;
  isAway: boolean;
  wish: PolicyWish | undefined;
  readonly bundles: Map<string, PolicyParts>;
  readonly reports: Map<string, ReplicaReport>;
  /** Every call that was heard. */
  readonly calls: ReplicaCall[];
}

export const createSharedBoard = (): SharedBoard => {
  const listeners: ((call: ReplicaCall) => void)[] = [];
  const markOf = (wish: PolicyWish | undefined): string => JSON.stringify(wish ?? null);
  const shared: SharedBoard = {
    isAway: false,
    wish: undefined,
    bundles: new Map(),
    reports: new Map(),
    calls: [],
    board: () => ({
      readWish: there(() => ({ wish: shared.wish, mark: markOf(shared.wish) })),
      writeWish: there((wish: PolicyWish, { mark }: { readonly mark: string }) => {
        if (mark !== markOf(shared.wish)) return false;
        shared.wish = wish;
        return true;
      }),
      putBundle: there((revision: string, parts: PolicyParts) => {
        shared.bundles.set(revision, parts);
      }),
      getBundle: there((revision: string) => shared.bundles.get(revision)),
      report: there((report: ReplicaReport) => {
        shared.reports.set(report.id, report);
      }),
      leave: there((id: string) => {
        shared.reports.delete(id);
      }),
      reports: there(() => [...shared.reports.values()]),
      call: there((call: ReplicaCall) => {
        shared.calls.push(call);
        for (const listener of listeners) listener(call);
      }),
      listen: (onCall) => {
        listeners.push((call) => {
          if (!shared.isAway) onCall(call);
        });
      },
    }),
  };
  const there =
    <A extends readonly unknown[], T>(work: (...given: A) => T): ((...given: A) => Promise<T>) =>
    (...given) =>
      shared.isAway
        ? Promise.reject(new Error('the board is away'))
        : Promise.resolve(work(...given));
  return shared;
};
