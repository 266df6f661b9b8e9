/**
 * Permits to make requests, by name of the caller. Each name has a token bucket with the permits of one second, which refills
 * steadily; it is full when no permit was taken for a second.
 */
export interface Permits {
  /**
   * Takes up to `want` permits (a whole number, 1 or more) out of the bucket.
   * @returns the number of permits taken, 0 to `want`
   * @throws Error when the store does not answer
   */
  readonly take: (name: string, want: number) => Promise<number>;
}
