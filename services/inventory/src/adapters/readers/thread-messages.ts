import { type ListAnswer } from '../../ports/list-readers.js';

/** Start parameters of a reader thread. */
export interface ReaderData<C = unknown> {
  /** Configuration of the inventory. */
  readonly config: C;
  /** Whether the main thread measures the store's calls. */
  readonly isObserved: boolean;
}

/** A call of the store: dependency, outcome and seconds. */
export type ObservedCall = readonly [dependency: string, outcome: string, seconds: number];

/** Messages of a reader thread: first `ready`, then one message for each request. */
export type ReaderMessage =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'answer';
      /** Undefined: the request would write. */
      readonly answer: ListAnswer | undefined;
      readonly calls: readonly ObservedCall[];
    }
  | { readonly kind: 'failed'; readonly reason: string };
