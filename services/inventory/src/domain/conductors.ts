/** A conductor's last heartbeat. */
export interface Conductor {
  readonly hostname: string;
  readonly drivers: readonly string[];
  readonly conductor_group: string;
  /** Milliseconds since the epoch. */
  readonly seen_at: number;
}

const LIVE_FOR_MS = 60_000;

/** Conductors whose heartbeat is not older than a minute, in the order of their names. */
export const liveConductors = (all: readonly Conductor[], now: Date): readonly Conductor[] =>
  all
    .filter(({ seen_at: seenAt }) => now.getTime() - seenAt <= LIVE_FOR_MS)
    .sort((a, b) => (a.hostname < b.hostname ? -1 : 1));

/** The live conductor that is shown for a driver in a conductor group: the first by name, so that it is the same for every node. */
export const conductorFor = (
  live: readonly Conductor[],
  driver: unknown,
  group: unknown,
): string | null =>
  live.find(
    ({ drivers, conductor_group: its }) => its === group && drivers.some((name) => name === driver),
  )?.hostname ?? null;

/** The drivers of a group for which `hostname` is the conductor shown. */
export const driversShownFor = (
  live: readonly Conductor[],
  hostname: string,
): { readonly group: string; readonly drivers: readonly string[] } => {
  const conductor = live.find((candidate) => candidate.hostname === hostname);
  if (conductor === undefined) return { group: '', drivers: [] };
  const group = conductor.conductor_group;
  return {
    group,
    drivers: conductor.drivers.filter((driver) => conductorFor(live, driver, group) === hostname),
  };
};
