/** An event of a node that is published. */
export interface NodeEvent {
  readonly severity: 'ERROR' | 'INFO';
  /** Sentences that name no conductor and nothing of the BMC, unless a failure does. */
  readonly event: string;
  /** The operation in progress; null when there was none. */
  readonly event_type: string | null;
}

/** The newest entry of a node's history, as the record carries it. */
export interface LatestEvent extends NodeEvent {
  readonly uuid: string;
  readonly created_at: string;
  /** Name of the conductor that did it; null when it was not one. */
  readonly conductor: string | null;
  /** Id of the user for whom it happened. */
  readonly user: string | null;
  /** How many such entries the node has had. */
  readonly number: number;
}
