import { type ConfigOf } from '@tenure/process';
import { type VARIABLES } from '../../config.js';
import { type ListAnswer } from '../../ports/list-readers.js';

/** What a reader thread is started with. */
export interface ReaderData {
  readonly config: ConfigOf<typeof VARIABLES>;
  /** Whether the calls of the store are to be observed. */
  readonly isObserved: boolean;
}

/** A call of the store: dependency, outcome and seconds. */
export type ObservedCall = readonly [dependency: string, outcome: string, seconds: number];

/** What a reader thread posts: once that it is ready, then for each request one answer. */
export type ReaderMessage =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'answer';
      /** Undefined: the request would write. */
      readonly answer: ListAnswer | undefined;
      readonly calls: readonly ObservedCall[];
    }
  | { readonly kind: 'failed'; readonly reason: string };
