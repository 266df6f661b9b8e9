import { timestampOf } from '@tenure/contracts';
import { forgettableConductors } from '../domain/conductors.js';
import { type ConductorRecord, type Stores } from '../ports/stores.js';
import { allWhere } from './all-where.js';

export interface ConductorDependencies {
  readonly stores: Pick<Stores, 'conductors' | 'nodes'>;
  readonly now: () => Date;
}

/** What a conductor says of itself with a heartbeat. */
export type Report = Pick<
  ConductorRecord,
  'hostname' | 'drivers' | 'conductor_group' | 'timeout_seconds' | 'interfaces' | 'advertised_url'
>;

/** Records a heartbeat in place of the one before. A conductor that had deregistered is registered again. */
export const reportConductor = async (
  { stores, now }: ConductorDependencies,
  report: Report,
): Promise<void> => {
  const seen: ConductorRecord = {
    ...report,
    uuid: report.hostname,
    created_at: timestampOf(now()),
    seen_at: now().getTime(),
    revision: 0,
  };
  await stores.conductors.merge([seen], (existing, incoming) => ({
    ...incoming,
    ...(existing?.created_at !== undefined && { created_at: existing.created_at }),
    revision: (existing?.revision ?? 0) + 1,
  }));
};

/** Deregisters a conductor: it counts as gone at once. For one that never reported there is nothing to do. */
export const deregisterConductor = async (
  { stores, now }: ConductorDependencies,
  hostname: string,
): Promise<void> => {
  for (;;) {
    const found = await stores.conductors.findBy('hostname', hostname);
    if (found === undefined) return;
    const gone = {
      ...found,
      is_deregistered: true,
      // Not before the heartbeat, which another replica may have timed by a clock that is ahead.
      deregistered_at: Math.max(now().getTime(), found.seen_at),
      revision: found.revision + 1,
    };
    if (await stores.conductors.swap(gone, found.revision)) return;
  }
};

const holdsLock = async (
  { stores }: ConductorDependencies,
  { hostname }: ConductorRecord,
): Promise<boolean> => {
  const where = allWhere({ field: 'reservation', op: 'eq', value: hostname });
  return (await stores.nodes.list({ ...where, limit: 1 })).length > 0;
};

/**
 * Removes the records of conductors that were not heard of for `keepMs`. One that still holds a lock stays: its record is
 * what says that the lock may be taken over. Removed by compare-and-set, so that one that is back at this moment stays.
 */
export const forgetConductors = async (
  deps: ConductorDependencies,
  keepMs: number,
): Promise<void> => {
  const all = await deps.stores.conductors.list(allWhere());
  for (const one of forgettableConductors(all, deps.now(), keepMs))
    if (!(await holdsLock(deps, one)))
      await deps.stores.conductors.remove(one.uuid, one.revision, one.revision);
};
