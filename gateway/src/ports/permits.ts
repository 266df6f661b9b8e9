/**
 * Permits to make requests, by the names of those who make them. Each name has a bucket that holds one second's worth and
 * fills up steadily; it is full when nobody has taken from it for a second.
 */
export interface Permits {
  /**
   * Takes up to `want` permits (a whole number, 1 or more) out of the bucket.
   * @returns how many there were, 0 to `want`
   * @throws Error when that cannot be told now
   */
  readonly take: (name: string, want: number) => Promise<number>;
}
