/** Knows whose a volume is. */
export interface VolumeRegistry {
  /**
   * The project that a volume belongs to; undefined when there is no such volume.
   * @throws UnavailableError when that cannot be known now
   */
  readonly projectOf: (volumeId: string) => Promise<string | undefined>;
}
