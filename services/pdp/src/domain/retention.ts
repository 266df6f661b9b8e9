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
  /** 0: a tenth of the space of a day. */
  readonly decisionLogProjectBytesPerDay: number;
}

const DAY_MS = 86_400_000;
const GIBIBYTE = 1024 ** 3;
const TENTH = 10;

/** The settings that the configuration means. A tenth of the space, at most 1 GiB, is reserve. */
export const retentionOf = (config: RetentionConfig): RetentionSettings => {
  const { decisionLogKeepDays: days, decisionLogSpaceBytes: spaceBytes } = config;
  const reserveBytes = Math.min(Math.floor(spaceBytes / TENTH), GIBIBYTE);
  const tenthOfADay = Math.floor((spaceBytes - reserveBytes) / (days * TENTH));
  return {
    keepMs: days * DAY_MS,
    spaceBytes,
    reserveBytes,
    projectBytesPerDay: config.decisionLogProjectBytesPerDay || tenthOfADay,
  };
};
