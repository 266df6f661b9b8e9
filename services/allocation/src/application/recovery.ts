import {
  type AllocationPage,
  type AllocationRow,
  type AllocationStore,
} from '../ports/allocation-store.js';
import { ownContext } from './allocate.js';
import { type Job } from './worker-pool.js';

export interface RecoveryOptions {
  readonly store: AllocationStore;
  readonly submit: (job: Job) => boolean;
  readonly newRequestId: () => string;
  readonly now: () => number;
  /** Milliseconds that an allocation may be `allocating` before another replica takes it over. */
  readonly staleMs: number;
}

const PAGE = 500;
const MAX_PAGES = 20;

/**
 * Finds the allocations that were acknowledged and are not worked on: their replica was killed, or deferred them.
 * Looking after one that is worked on elsewhere does no harm.
 * @returns how many were taken up that were not in hand already
 */
export async function recoverAllocations(options: RecoveryOptions): Promise<number> {
  const isStale = ({ created_at: createdAt = '' }: AllocationRow): boolean => {
    const age = options.now() - Date.parse(createdAt);
    // One of the future was made by a clock that was set back since: it may be as old as any.
    return !(age >= 0 && age < options.staleMs);
  };
  const context = ownContext(options.newRequestId());
  let submitted = 0;
  let marker: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const rows: AllocationPage = await options.store.list(
      {
        state: 'allocating',
        limit: PAGE,
        fields: ['created_at'],
        sort_dir: 'asc',
        ...(marker !== undefined && { marker }),
      },
      context,
    );
    for (const { uuid } of rows.allocations.filter(isStale)) {
      if (options.submit({ uuid, requestId: options.newRequestId() })) submitted += 1;
    }
    marker = rows.allocations.at(-1)?.uuid;
    if (!rows.more || marker === undefined) break;
  }
  return submitted;
}
