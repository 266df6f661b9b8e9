import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { isSevere, type LogEntry, type LogQuery, entryView } from '../../domain/event-log.js';
import { redfishSettingsOf } from '../../domain/redfish-settings.js';
import { type BmcClient } from './bmc-client.js';
import { readMembers } from './collection.js';
import { type Json, textOf } from './json.js';
import { findLog } from './log-service.js';
import { type FindTarget } from './target.js';

/** The part of a log that is returned. */
interface LogView {
  readonly service: string;
  readonly services: readonly string[];
  /** The newest first. */
  readonly entries: readonly LogEntry[];
  /** Whether the log has further entries that match the request and are not returned. */
  readonly more: boolean;
}

/** The event logs of a node's BMC, as vendor methods give them. */
export interface EventLogs {
  readonly read: (node: NodeRecord, query: LogQuery, deadline: Deadline) => Promise<LogView>;
  readonly clear: (
    node: NodeRecord,
    service: string | undefined,
    deadline: Deadline,
  ) => Promise<void>;
}

/** So many entries are looked through at most. */
const MAX_ENTRIES = 2000;

export const createEventLogs = (find: FindTarget): EventLogs => ({
  read: async (node, { service, limit, severity }, deadline) => {
    const { bmc, log, names } = await findLog(find, node, service, deadline);
    const matching = (entries: readonly Json[]): readonly Json[] =>
      entries.filter((data) => isSevere(data, severity));
    const isEnough = (entries: readonly Json[]): boolean => matching(entries).length > limit;
    const found = matching(await readEntries(bmc, log.entries, isEnough));
    const { password } = redfishSettingsOf(node);
    return {
      service: log.name,
      services: names,
      entries: found.slice(0, limit).map((data) => entryView(data, password)),
      more: found.length > limit,
    };
  },
  clear: async (node, service, deadline) => {
    const { bmc, log } = await findLog(find, node, service, deadline);
    const { clear: path, entries, resource } = log;
    if (path === undefined)
      throw new DriverFailure('unsupported', `the BMC does not offer to clear the log ${log.name}`);
    const before = await readMarks(bmc, entries);
    if (before.size === 0) return;
    await bmc.changeAndSee(() => bmc.change(resource, { method: 'POST', path, body: {} }), {
      read: () => readMarks(bmc, entries),
      // Many BMCs begin the empty log with an entry that says so.
      isThere: (after) => after.isDisjointFrom(before),
      missing: `the BMC took the order to clear the log ${log.name}, but still shows its entries`,
    });
  },
});

/** Entries, the newest first. A log that begins with the oldest is read to its end, another only as far as is needed. */
async function readEntries(
  bmc: BmcClient,
  path: string | undefined,
  isEnough: (entries: readonly Json[]) => boolean,
): Promise<readonly Json[]> {
  const found = await readMembers(bmc, path, {
    limit: MAX_ENTRIES,
    isEnough: (entries) => !isOldestFirst(entries) && isEnough(entries),
  });
  const entries = found.map(({ data }) => data);
  if (!isOldestFirst(entries)) return entries;
  if (entries.length >= MAX_ENTRIES)
    throw new DriverFailure(
      'too_large',
      `the log begins with its oldest entry and holds ${String(MAX_ENTRIES)} or more; clear it, or read another`,
    );
  return entries.toReversed();
}

/** The entries on the first page, each as one text: what a clear log shows none of. */
const readMarks = async (bmc: BmcClient, path: string | undefined): Promise<ReadonlySet<string>> =>
  new Set(marksIn((await bmc.readOptional(path))?.data ?? {}));

/** Whether a log begins with its oldest entry, by the times of its first and last entry, else by their numbers. */
function isOldestFirst(entries: readonly Json[]): boolean {
  const [first, last] = [entries[0] ?? {}, entries.at(-1) ?? {}];
  const older = timeOf(first) - timeOf(last);
  if (older !== 0 && !Number.isNaN(older)) return older < 0;
  return Number(first['Id']) < Number(last['Id']);
}

const timeOf = (data: Json): number => Date.parse(textOf(data['Created']) ?? '');

function marksIn(data: Json): readonly string[] {
  const { Members: members } = data;
  return Array.isArray(members) ? members.map((member) => JSON.stringify(member)) : [];
}
