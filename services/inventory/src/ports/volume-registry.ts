/** The service that owns volumes, such as Cinder. */
export interface VolumeRegistry {
  /**
   * The project that a volume belongs to; undefined when there is no such volume.
   * @throws UnavailableError when the registry cannot answer now
   */
  readonly projectOf: (volumeId: string) => Promise<string | undefined>;
}
