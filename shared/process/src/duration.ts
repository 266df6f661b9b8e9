const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Seconds of a duration such as `90s`, `30m`, `1h`, `7d`.
 * @throws Error when it is not one, or is not positive
 */
export const secondsOf = (duration: string): number => {
  const match = /^([0-9]{1,6})([smhd])$/u.exec(duration);
  const unit = UNITS[match?.[2] ?? ''];
  const amount = Number(match?.[1]);
  if (unit === undefined || !(amount > 0))
    throw new Error(`not a duration: ${duration} (say for example 90s, 30m, 1h, 7d)`);
  return amount * unit;
};
