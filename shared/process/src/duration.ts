const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const DURATION = /^[1-9]\d{0,5}[smhd]$/u;
const MS_PER_SECOND = 1000;

/**
 * Seconds of a duration such as `90s`, `30m`, `1h`, `7d`.
 * @throws Error when it is not one, or is not positive
 */
export function secondsOf(duration: string): number {
  const match = /^([0-9]{1,6})([smhd])$/u.exec(duration);
  const unit = UNITS[match?.[2] ?? ''];
  const amount = Number(match?.[1]);
  if (unit === undefined || !(amount > 0))
    throw new Error(`not a duration: ${duration} (say for example 90s, 30m, 1h, 7d)`);
  return amount * unit;
}

/**
 * A moment, from a duration before now (`7d`) or a date and time of ISO 8601.
 * @param now milliseconds since the epoch
 * @returns RFC 3339 in UTC with milliseconds; undefined when the text is neither
 */
export function momentIn(text: string, now: number): string | undefined {
  const date = new Date(DURATION.test(text) ? now - secondsOf(text) * MS_PER_SECOND : text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
