/** What a driver offers for one type of interface, and what a node gets that names none. */
export interface InterfaceChoice {
  readonly default: string | null;
  readonly enabled: readonly string[];
}

/** By type of interface, as `power`. */
type InterfaceChoices = Readonly<Record<string, InterfaceChoice>>;

/** A conductor's last heartbeat. */
export interface Conductor {
  readonly hostname: string;
  readonly drivers: readonly string[];
  readonly conductor_group: string;
  /** How long a heartbeat is good for; absent from one that has not reported since before it was asked for. */
  readonly timeout_seconds?: number;
  /** By driver; absent from one that has not reported since before it was asked for. */
  readonly interfaces?: Readonly<Record<string, InterfaceChoices>>;
  /** Where other conductors reach it; absent from one that has not reported since before it was asked for. */
  readonly advertised_url?: string;
  /** When it first reported. */
  readonly created_at?: string;
  /** Milliseconds since the epoch. */
  readonly seen_at: number;
  /** It said goodbye, with nothing left running, and has not reported since. */
  readonly is_deregistered?: boolean;
}

/** How long after its last heartbeat a conductor counts as alive that does not say so itself, as in Ironic. */
export const DEFAULT_TIMEOUT_SECONDS = 60;

/** Whether the heartbeat is not older than the conductor said that it is good for, and was not followed by a goodbye. */
export const isLive = (
  {
    seen_at: seenAt,
    timeout_seconds: seconds = DEFAULT_TIMEOUT_SECONDS,
    is_deregistered: isDeregistered,
  }: Conductor,
  now: Date,
): boolean => isDeregistered !== true && now.getTime() - seenAt <= seconds * 1000;

/** Conductors that are alive, in the order of their names. */
export const liveConductors = (all: readonly Conductor[], now: Date): readonly Conductor[] =>
  all.filter((one) => isLive(one, now)).sort((a, b) => (a.hostname < b.hostname ? -1 : 1));

/**
 * Conductors that reported once and do so no more. A name that never reported is none of them: nobody knows that what it
 * stands for is dead.
 */
export const departedConductors = (all: readonly Conductor[], now: Date): readonly Conductor[] =>
  all.filter((one) => !isLive(one, now));

/** Conductors that were not heard of for so long (milliseconds) that nobody asks about them any more. */
export const forgettableConductors = <C extends Conductor>(
  all: readonly C[],
  now: Date,
  keepMs: number,
): readonly C[] => all.filter((one) => !isLive(one, now) && now.getTime() - one.seen_at > keepMs);

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
