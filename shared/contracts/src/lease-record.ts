/**
 * The status of a lease. `pending`: not begun; `active`: the lessee has the node; `ending`: the lessee has lost access, and
 * what was left is being cleared away; `ended` and `cancelled`: over; `error`: as `ending`, and clearing away failed: it is
 * tried again, and `reason` says what is in the way.
 */
export const LEASE_STATUSES = [
  'pending',
  'active',
  'ending',
  'ended',
  'cancelled',
  'error',
] as const;
export type LeaseStatus = (typeof LEASE_STATUSES)[number];

/** How far clearing away has come: nothing yet, what does not need the state machine, the machine being torn down or cleaned. */
export const LEASE_PHASES = ['cleared', 'undeploying', 'cleaning'] as const;
export type LeasePhase = (typeof LEASE_PHASES)[number];

/** The actions on the machine when a lease ends; the lessee loses access in any case. */
export interface LeaseEnd {
  /** Whether what is deployed is torn down. */
  readonly undeploy: boolean;
  /** Whether the machine is cleaned also when nothing was deployed. */
  readonly clean: boolean;
}

/** A node given to a project for a while. Moments are as `timestampOf` writes them, so that they compare as texts. */
export interface LeaseRecord {
  readonly uuid: string;
  readonly node_uuid: string;
  /** The node's owner when the lease was made. */
  readonly owner: string | null;
  /** The project that has the node during the lease. */
  readonly lessee: string;
  readonly status: LeaseStatus;
  /** The reason for its status, if there is one; without details of the machine that are hidden from a lessee. */
  readonly reason: string | null;
  readonly start_time: string;
  readonly end_time: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly on_end: LeaseEnd;
  readonly purpose: string | null;
  /** Values that the lessee wrote on the node, by field; null while the lease lasts. */
  readonly sealed?: Readonly<Record<string, unknown>> | null;
  /** Not in views. */
  readonly phase: LeasePhase | null;
  readonly created_at: string;
  readonly updated_at: string | null;
  /** Grows with every write. */
  readonly revision: number;
}
