/** The interfaces of one type that a driver offers, and the default for a node that names none. */
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
  /** How long a heartbeat is valid; absent when the conductor has not reported since the member exists. */
  readonly timeout_seconds?: number;
  /** By driver; absent when the conductor has not reported since the member exists. */
  readonly interfaces?: Readonly<Record<string, InterfaceChoices>>;
  /** Where other conductors reach it; absent when the conductor has not reported since the member exists. */
  readonly advertised_url?: string;
  /** When it first reported. */
  readonly created_at?: string;
  /** Milliseconds since the epoch. */
  readonly seen_at: number;
  /** It deregistered, with nothing left running; counts together with `deregistered_at`. */
  readonly is_deregistered?: boolean;
  /** Milliseconds since the epoch, never before `seen_at` at that moment; absent from what an earlier release wrote. */
  readonly deregistered_at?: number;
}

/** How long after its last heartbeat a conductor counts as alive that does not say so itself, as in Ironic. */
export const DEFAULT_TIMEOUT_SECONDS = 60;

/** The fields of a node that `conductorFor` needs. */
export const CONDUCTOR_FIELDS = ['driver', 'conductor_group'] as const;

/** Whether it deregistered and has sent no heartbeat since: a flag that is older than the last heartbeat counts for nothing. */
export const isDeregistered = (conductor: Conductor): boolean =>
  conductor.is_deregistered === true &&
  conductor.deregistered_at !== undefined &&
  conductor.seen_at <= conductor.deregistered_at;

/**
 * Whether the last heartbeat has expired, by the timeout that its conductor reported. Only then may others take over
 * its locks: a conductor that deregistered may still be working, or be registered again under the same name.
 */
export const isSilent = (
  { seen_at: seenAt, timeout_seconds: seconds = DEFAULT_TIMEOUT_SECONDS }: Conductor,
  now: Date,
): boolean => now.getTime() - seenAt > seconds * 1000;

/** Whether its last heartbeat is recent, and was not followed by a deregistration. */
export const isLive = (conductor: Conductor, now: Date): boolean =>
  !isDeregistered(conductor) && !isSilent(conductor, now);

/** Conductors that are alive, in the order of their names. */
export const liveConductors = <C extends Conductor>(all: readonly C[], now: Date): readonly C[] =>
  all.filter((one) => isLive(one, now)).sort((a, b) => (a.hostname < b.hostname ? -1 : 1));

/**
 * Whether the last heartbeat is in the future: the store's clock was set back. The conductor would count as alive until the
 * clock reaches that time again.
 */
export const isAhead = ({ seen_at: seenAt }: Conductor, now: Date): boolean =>
  seenAt > now.getTime();

/** Conductors without a heartbeat for so long (milliseconds) that their records can be removed. */
export const forgettableConductors = <C extends Conductor>(
  all: readonly C[],
  now: Date,
  keepMs: number,
): readonly C[] => all.filter((one) => isSilent(one, now) && now.getTime() - one.seen_at > keepMs);

/**
 * The live conductor that is listed for a driver in a conductor group: the first by name, so that it is the same for
 * every node.
 */
export const conductorFor = (
  live: readonly Conductor[],
  driver: unknown,
  group: unknown,
): string | null =>
  live.find(
    ({ drivers, conductor_group: its }) => its === group && drivers.some((name) => name === driver),
  )?.hostname ?? null;

/** The drivers of a group for which `hostname` is the listed conductor. */
export function visibleDriversFor(
  live: readonly Conductor[],
  hostname: string,
): { readonly group: string; readonly drivers: readonly string[] } {
  const conductor = live.find((candidate) => candidate.hostname === hostname);
  if (conductor === undefined) return { group: '', drivers: [] };
  const group = conductor.conductor_group;
  return {
    group,
    drivers: conductor.drivers.filter((driver) => conductorFor(live, driver, group) === hostname),
  };
}
