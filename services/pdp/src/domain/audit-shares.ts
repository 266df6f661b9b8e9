import { memberOf } from '@tenure/policy';

const MAX_ID = 255;
const DAY_SECONDS = 86_400;
/** Whoever is refused may come back when a minute's worth of its share is free again. */
const MINUTES_OF_A_DAY = 1440;
const MAX_RETRY_SECONDS = 3600;
/** While only the reserve of the log is left, accounts have this part of their share. */
const RESERVE_PART = 0.1;
/** Accounts that are told apart; there is no end of names in questions of strangers. */
const MAX_ACCOUNTS = 10_000;
const NEAR = 0.8;
const SWEEP_EVERY_MS = 10_000;

const idIn = (subject: unknown, name: string): string | undefined => {
  const id = memberOf(subject, name);
  return typeof id === 'string' && id.length > 0 && id.length <= MAX_ID ? id : undefined;
};

/** Whose share of the log a question uses: its project's, its user's where it has no project, or everybody else's together. */
export const accountOf = (input: unknown): string => {
  const subject = memberOf(input, 'subject');
  const project = idIn(subject, 'project_id');
  if (project !== undefined) return `project:${project}`;
  const user = idIn(subject, 'user_id');
  return user === undefined ? 'others' : `user:${user}`;
};

/** Enough room in the log; only its reserve; or none. */
export type Room = 'enough' | 'reserve' | 'full';

/** Why a question is refused: its account's share is used up, with enough room or with the reserve only, or there is no room. */
export type ShareRefusal = 'share' | 'reserve' | 'full';

interface AccountUse {
  readonly account: string;
  /** Bytes of its share that are used. */
  readonly used: number;
  /** Bytes a day; null is no limit. */
  readonly limit: number | null;
}

/** One refused, and how many more since the last time they were taken. */
export interface Refused<T> {
  readonly account: string;
  readonly count: number;
  /** Milliseconds since 1970 of the first. */
  readonly since: number;
  readonly first: T;
}

export interface AuditShares<T> {
  /**
   * Whether a question may be answered, for which `limit` bytes a day hold where they are not those of everybody.
   * @param about what is kept of the first question that is refused
   * @returns undefined when it may; else the seconds after which it is worth asking again
   */
  readonly refuse: (
    account: string,
    limit: number | null | undefined,
    about: () => T,
  ) => number | undefined;
  /** Bytes of a record that was added for an account. */
  readonly charge: (account: string, bytes: number) => void;
  /** Refusals since the last call. */
  readonly takeRefused: () => readonly Refused<T>[];
  /** Accounts that have used something. */
  readonly uses: () => readonly AccountUse[];
  /** Accounts above 80 % of their share. */
  readonly nearLimit: () => number;
}

interface Bucket {
  used: number;
  /** Milliseconds since 1970 of which `used` is true. */
  at: number;
  limit: number | null;
}

export interface AuditSharesOptions {
  /** Bytes a day of each account without a limit of its own. */
  readonly perDay: number;
  readonly room: () => Room;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What was used before a restart, and when that was true. */
  readonly before?: { readonly at: number; readonly uses: readonly AccountUse[] } | undefined;
}

/** Each account may fill a day's share at once, and gets it back evenly over a day. */
class Shares<T> implements AuditShares<T> {
  readonly #buckets = new Map<string, Bucket>();
  #refused = new Map<string, { count: number; since: number; first: T }>();
  #sweptAt = -SWEEP_EVERY_MS;
  private readonly options: AuditSharesOptions;

  constructor(options: AuditSharesOptions) {
    this.options = options;
    const { before } = options;
    for (const { account, used, limit } of before?.uses ?? [])
      this.#buckets.set(account, { used, limit, at: before?.at ?? 0 });
  }

  readonly refuse: AuditShares<T>['refuse'] = (account, limit, about) => {
    const bucket = this.#bucketOf(account);
    bucket.limit = limit === undefined ? this.options.perDay : limit;
    this.#drain(bucket);
    const share = this.#shareOf(bucket);
    if (bucket.used < share) return undefined;
    this.#count(account, about);
    const missing = bucket.used - share + share / MINUTES_OF_A_DAY;
    const seconds = share === 0 ? MAX_RETRY_SECONDS : (missing / share) * DAY_SECONDS;
    return Math.max(1, Math.min(MAX_RETRY_SECONDS, Math.ceil(seconds)));
  };

  readonly charge: AuditShares<T>['charge'] = (account, bytes) => {
    const bucket = this.#bucketOf(account);
    this.#drain(bucket);
    bucket.used += bytes;
  };

  readonly takeRefused: AuditShares<T>['takeRefused'] = () => {
    const refused = [...this.#refused].map(([account, one]) => ({ account, ...one }));
    this.#refused = new Map();
    return refused;
  };

  readonly uses: AuditShares<T>['uses'] = () => {
    const uses: AccountUse[] = [];
    for (const [account, bucket] of this.#buckets) {
      this.#drain(bucket);
      if (bucket.used === 0) this.#buckets.delete(account);
      else uses.push({ account, used: Math.round(bucket.used), limit: bucket.limit });
    }
    return uses;
  };

  readonly nearLimit: AuditShares<T>['nearLimit'] = () =>
    this.uses().filter(({ used, limit }) => limit !== null && used > limit * NEAR).length;

  #bucketOf(account: string): Bucket {
    const known = this.#buckets.get(account);
    if (known !== undefined) return known;
    if (this.#buckets.size >= MAX_ACCOUNTS) this.#sweep();
    if (this.#buckets.size >= MAX_ACCOUNTS && account !== 'others') return this.#bucketOf('others');
    const bucket = { used: 0, at: this.options.now(), limit: this.options.perDay };
    this.#buckets.set(account, bucket);
    return bucket;
  }

  #sweep(): void {
    const now = this.options.now();
    if (Math.abs(now - this.#sweptAt) < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    this.uses();
  }

  #shareOf({ limit }: Bucket): number {
    if (limit === null) return Infinity;
    return this.options.room() === 'enough' ? limit : limit * RESERVE_PART;
  }

  #drain(bucket: Bucket): void {
    const now = this.options.now();
    // A clock that was put back must not fill the bucket.
    const elapsed = Math.max(0, now - bucket.at);
    // What has no limit is counted as if it had everybody's.
    const share = bucket.limit === null ? this.options.perDay : this.#shareOf(bucket);
    bucket.used = Math.max(0, bucket.used - (share * elapsed) / (DAY_SECONDS * 1000));
    bucket.at = now;
  }

  #count(account: string, about: () => T): void {
    const known = this.#refused.get(account);
    if (known !== undefined) known.count += 1;
    else if (this.#refused.size < MAX_ACCOUNTS)
      this.#refused.set(account, { count: 1, since: this.options.now(), first: about() });
  }
}

/** The shares of the decision log that projects have (docs/decisions.md, "How long it is kept"). */
export const createAuditShares = <T>(options: AuditSharesOptions): AuditShares<T> =>
  new Shares<T>(options);
