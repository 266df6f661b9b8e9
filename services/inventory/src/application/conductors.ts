import { timestampOf } from '@tenure/contracts';
import { forgettableConductors, isAhead, isSilent, liveConductors } from '../domain/conductors.js';
import { type ConductorRecord, type Stores } from '../ports/stores.js';
import { allWhere } from './all-where.js';

export interface ConductorDependencies {
  readonly stores: Pick<Stores, 'conductors' | 'nodes' | 'clock'>;
}

type ReadingConductors = Pick<Stores, 'conductors' | 'clock'>;

/** The members of a heartbeat. */
export type Report = Pick<
  ConductorRecord,
  'hostname' | 'drivers' | 'conductor_group' | 'timeout_seconds' | 'interfaces' | 'advertised_url'
>;

/**
 * Conductors that are alive, in the order of their names.
 * @param now what their heartbeats are compared with: the store's clock where work depends on it, otherwise this process's
 */
export const conductorsAt = async (
  { conductors }: Pick<Stores, 'conductors'>,
  now: Date,
): Promise<readonly ConductorRecord[]> => liveConductors(await conductors.list(allWhere()), now);

/**
 * Conductors whose last heartbeat is too old by the store's clock, in the order of the store. A hostname that never
 * reported is not among them: nothing shows that its conductor is dead.
 */
export async function silentConductors(
  stores: ReadingConductors,
): Promise<readonly ConductorRecord[]> {
  const all = await stores.conductors.list(allWhere());
  const now = await stores.clock();
  return all.filter((one) => isSilent(one, now));
}

/** Records a heartbeat in place of the one before. A conductor that had deregistered is registered again. */
export async function reportConductor(
  { stores }: ConductorDependencies,
  report: Report,
): Promise<void> {
  const now = await stores.clock();
  const seen: ConductorRecord = {
    ...report,
    uuid: report.hostname,
    created_at: timestampOf(now),
    seen_at: now.getTime(),
    revision: 0,
  };
  await stores.conductors.merge([seen], (existing, incoming) => ({
    ...incoming,
    ...(existing?.created_at !== undefined && { created_at: existing.created_at }),
    revision: (existing?.revision ?? 0) + 1,
  }));
}

/**
 * Deregisters a conductor: it is listed as not alive, and gets no more orders. It keeps its locks until its last
 * heartbeat is too old. Has no effect for a conductor that never reported.
 */
export async function deregisterConductor(
  { stores }: ConductorDependencies,
  hostname: string,
): Promise<void> {
  for (;;) {
    const found = await stores.conductors.findBy('hostname', hostname);
    if (found === undefined) return;
    const now = await stores.clock();
    const deregistered = {
      ...found,
      is_deregistered: true,
      // Not before the heartbeat: the store's clock may have been set back.
      deregistered_at: Math.max(now.getTime(), found.seen_at),
      revision: found.revision + 1,
    };
    if (await stores.conductors.swap(deregistered, found.revision)) return;
  }
}

/**
 * Removes the records of conductors without a heartbeat for `keepMs`. A conductor that still has a lock stays: only its
 * record shows that the lock may be taken over. Removed by compare-and-set, so that one that registers again at this
 * moment stays.
 */
export async function forgetConductors(deps: ConductorDependencies, keepMs: number): Promise<void> {
  const { conductors, clock } = deps.stores;
  const all = await conductors.list(allWhere());
  const now = await clock();
  for (const one of all.filter((other) => isAhead(other, now))) await seenOnlyNow(deps, one, now);
  for (const one of forgettableConductors(all, now, keepMs))
    if (!(await holdsLock(deps, one)))
      await conductors.remove(one.uuid, one.revision, one.revision);
}

/** Counts the time of a heartbeat that is in the future from now on, unless the conductor reports meanwhile. */
async function seenOnlyNow(
  { stores }: ConductorDependencies,
  one: ConductorRecord,
  now: Date,
): Promise<void> {
  const fields = { seen_at: now.getTime(), revision: one.revision + 1 };
  await stores.conductors.swap({ ...one, ...fields }, one.revision);
}

async function holdsLock(
  { stores }: ConductorDependencies,
  { hostname }: ConductorRecord,
): Promise<boolean> {
  const where = allWhere({ field: 'reservation', op: 'eq', value: hostname });
  return (await stores.nodes.list({ ...where, limit: 1 })).length > 0;
}
