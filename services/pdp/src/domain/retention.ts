/** How the log is kept: milliseconds and bytes. */
export interface RetentionSettings {
  readonly keepMs: number;
  readonly spaceBytes: number;
  /** Space that is left to those who write little, once the rest is used. */
  readonly reserveBytes: number;
  /** The share of a project without a limit of its own. */
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
/** The part of the space that is reserve. */
const RESERVE_PART = 10;
/** The part of the space of a day that is the share of a project. */
const SHARE_PART = 2;

/** The settings that the configuration means. A tenth of the space, at most 1 GiB, is reserve. */
export const retentionOf = (config: RetentionConfig): RetentionSettings => {
  const { decisionLogKeepDays: days, decisionLogSpaceBytes: spaceBytes } = config;
  const reserveBytes = Math.min(Math.floor(spaceBytes / RESERVE_PART), GIBIBYTE);
  const share = Math.floor((spaceBytes - reserveBytes) / (days * SHARE_PART));
  return {
    keepMs: days * DAY_MS,
    spaceBytes,
    reserveBytes,
    projectBytesPerDay: config.decisionLogProjectBytesPerDay || share,
  };
};
