/**
 * What is known of a command, or of a part of some work, that an earlier life of a conductor may have begun. A command is sent
 * once, however often the conductor is restarted.
 */
export interface Attempt {
  /** How many lives of a conductor began it and did not see its end; 0: nothing was sent yet. */
  readonly begunBefore: number;
  /** True when one of them knew that the command may have arrived. It is not sent again then. */
  readonly wasSent: boolean;
  /**
   * Writes down under the lock that the command may have arrived. Gives up without an error when the inventory is away until
   * the deadline. Throws `lock_lost`: nothing more must be done.
   */
  readonly noteSent: () => Promise<void>;
}
