/** Retention settings, in milliseconds and bytes. */
export interface RetentionSettings {
  readonly keepMs: number;
  readonly spaceBytes: number;
  /** Free space below which each account has a fraction of its share. */
  readonly reserveBytes: number;
  /** The share of a project without its own limit. */
  readonly projectBytesPerDay: number;
}

interface RetentionConfig {
  readonly decisionLogKeepDays: number;
  readonly decisionLogSpaceBytes: number;
  /** 0: half of the space of a day. */
  readonly decisionLogProjectBytesPerDay: number;
}

const DAY_MS = 86_400_000;
const GIBIBYTE = 1024 ** 3;
/** The reserve is the space divided by this number. */
const RESERVE_PART = 10;
/** The share of a project is the space of a day divided by this number. */
const SHARE_PART = 2;

/** Derives the settings from the configuration. The reserve is a tenth of the space, at most 1 GiB. */
export function retentionOf(config: RetentionConfig): RetentionSettings {
  const { decisionLogKeepDays: days, decisionLogSpaceBytes: spaceBytes } = config;
  const reserveBytes = Math.min(Math.floor(spaceBytes / RESERVE_PART), GIBIBYTE);
  const share = Math.floor((spaceBytes - reserveBytes) / (days * SHARE_PART));
  return {
    keepMs: days * DAY_MS,
    spaceBytes,
    reserveBytes,
    projectBytesPerDay: config.decisionLogProjectBytesPerDay || share,
  };
}
