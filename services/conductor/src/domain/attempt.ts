/**
 * The record of earlier attempts at a command, or at a part of some work. A command is sent once, however often the conductor
 * is restarted.
 */
export interface Attempt {
  /** How often it was begun and interrupted by a restart; 0: nothing was sent yet. */
  readonly begunBefore: number;
  /** True when one of them recorded that the command may have arrived. It is not sent again then. */
  readonly wasSent: boolean;
  /**
   * Proves that the lock is still ours, right before the command is sent: a process that was frozen since its last write may
   * have lost it. Throws `lock_lost`: nothing more must be done.
   */
  readonly prove: () => Promise<void>;
  /**
   * Records under the lock that the command may have arrived. Ends without an error when the inventory is unavailable until the
   * deadline. Throws `lock_lost`: nothing more must be done.
   */
  readonly noteSent: () => Promise<void>;
}
