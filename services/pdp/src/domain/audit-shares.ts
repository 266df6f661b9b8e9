import { memberOf } from '@tenure/policy';

const MAX_ID = 255;
const DAY_SECONDS = 86_400;
/** Retry-After is the time until the share of one minute is free again. */
const MINUTES_OF_A_DAY = 1440;
const MAX_RETRY_SECONDS = 3600;
/** The fraction of its share that each account has while only the reserve of the log is free. */
const RESERVE_PART = 0.1;
/** Maximum number of separate accounts, because callers can invent any number of names. */
const MAX_ACCOUNTS = 10_000;
const NEAR = 0.8;
const SWEEP_EVERY_MS = 10_000;

/** Free space of the log: enough, only the reserve, or none. */
export type DiskSpace = 'enough' | 'reserve' | 'full';

/** The reason of a refusal: the share is used up, with enough free space or with only the reserve, or the log is full. */
export type ShareRefusal = 'share' | 'reserve' | 'full';

interface AccountUse {
  readonly account: string;
  /** Used bytes of its share. */
  readonly used: number;
  /** Bytes a day; null: no limit. */
  readonly limit: number | null;
}

/** The refusals of one account since the last call of `takeRefused`. */
export interface Refused<T> {
  readonly account: string;
  readonly count: number;
  /** Milliseconds since 1970 of the first. */
  readonly since: number;
  readonly first: T;
}

export interface AuditShares<T> {
  /**
   * Checks whether a question may be answered. `limit` (bytes a day) replaces the default unless it is undefined.
   * @param about returns the stored part of a refused question; called for the first one
   * @returns undefined when it may; else the seconds until a retry can succeed
   */
  readonly refuse: (
    account: string,
    limit: number | null | undefined,
    about: () => T,
  ) => number | undefined;
  /** Records the bytes of a record of an account. */
  readonly charge: (account: string, bytes: number) => void;
  /** Refusals since the last call. */
  readonly takeRefused: () => readonly Refused<T>[];
  /** Accounts with usage. */
  readonly uses: () => readonly AccountUse[];
  /** Accounts above 80 % of their share. */
  readonly nearLimit: () => number;
}

interface Bucket {
  used: number;
  /** Time of `used`, in milliseconds since 1970. */
  at: number;
  limit: number | null;
}

export interface AuditSharesOptions {
  /** Bytes a day of each account without its own limit. */
  readonly perDay: number;
  readonly diskSpace: () => DiskSpace;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Usage before a restart, and its time. */
  readonly before?: { readonly at: number; readonly uses: readonly AccountUse[] } | undefined;
}

/** Token buckets: an account may use a whole day's share at once, and its bucket refills evenly over a day. */
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
    const existing = this.#buckets.get(account);
    if (existing !== undefined) return existing;
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
    return this.options.diskSpace() === 'enough' ? limit : limit * RESERVE_PART;
  }

  #drain(bucket: Bucket): void {
    const now = this.options.now();
    // A clock that is set back must not change the bucket.
    const elapsed = Math.max(0, now - bucket.at);
    // The usage of an account without a limit decreases at the default rate.
    const share = bucket.limit === null ? this.options.perDay : this.#shareOf(bucket);
    bucket.used = Math.max(0, bucket.used - (share * elapsed) / (DAY_SECONDS * 1000));
    bucket.at = now;
  }

  #count(account: string, about: () => T): void {
    const refused = this.#refused.get(account);
    if (refused !== undefined) refused.count += 1;
    else if (this.#refused.size < MAX_ACCOUNTS)
      this.#refused.set(account, { count: 1, since: this.options.now(), first: about() });
  }
}

/** The account of a question: its project, else its user, else one that all other questions share. */
export function accountOf(input: unknown): string {
  const subject = memberOf(input, 'subject');
  const project = idIn(subject, 'project_id');
  if (project !== undefined) return `project:${project}`;
  const user = idIn(subject, 'user_id');
  return user === undefined ? 'others' : `user:${user}`;
}

/** The shares of the decision log that projects have (docs/decisions.md, "How long it is kept"). */
export const createAuditShares = <T>(options: AuditSharesOptions): AuditShares<T> =>
  new Shares<T>(options);

function idIn(subject: unknown, name: string): string | undefined {
  const id = memberOf(subject, name);
  return typeof id === 'string' && id.length > 0 && id.length <= MAX_ID ? id : undefined;
}
