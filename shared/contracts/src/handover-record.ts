/**
 * The cause of the end of a tenancy: the end of a lease, the undeploying of the instance, a change of `lessee` or `owner` by
 * hand, or the end of the allocation that the node was bound to.
 */
export const HANDOVER_CAUSES = [
  'lease_end',
  'undeploy',
  'lessee_changed',
  'owner_changed',
  'allocation_end',
] as const;
export type HandoverCause = (typeof HANDOVER_CAUSES)[number];

/** `failed`: still open; `reason` says what is in the way, and it is tried again. */
export const HANDOVER_STATUSES = ['open', 'failed', 'complete'] as const;
export type HandoverStatus = (typeof HANDOVER_STATUSES)[number];

/** How far it has come: what needs no state machine is cleared, the machine is being torn down, or cleaned. */
export const HANDOVER_PHASES = ['cleared', 'undeploying', 'cleaning'] as const;
export type HandoverPhase = (typeof HANDOVER_PHASES)[number] | null;

export const HANDOVER_STEPS = [
  'power_off',
  'agent_secret',
  'virtual_media',
  'vifs',
  'volumes',
  'console',
  'boot_device',
  'boot_mode',
  'secure_boot',
  'bios',
  'undeploy',
  'clean',
] as const;
export type HandoverStepName = (typeof HANDOVER_STEPS)[number];

export const HANDOVER_OUTCOMES = ['done', 'nothing_to_do', 'unsupported', 'failed'] as const;
export type HandoverOutcome = (typeof HANDOVER_OUTCOMES)[number];

/** One action on a machine, done or attempted. */
export interface HandoverStep {
  readonly step: HandoverStepName;
  readonly outcome: HandoverOutcome;
  readonly at: string;
  readonly detail: string | null;
}

/** The actions on the machine. */
export interface HandoverPlan {
  /** Whether what is deployed is torn down. */
  readonly undeploy: boolean;
  /** Whether the machine is cleaned also when nothing was deployed. */
  readonly clean: boolean;
}

/** Members of a handover that are set at its beginning. */
export interface HandoverOpening {
  readonly uuid: string;
  readonly node_uuid: string;
  readonly cause: HandoverCause;
  /** Owner of the node when it opened; before the change when the owner changed. */
  readonly owner: string | null;
  readonly from_project: string | null;
  readonly to_project: string | null;
  /** Null: as the lease says. */
  readonly plan: HandoverPlan | null;
  /** Id of the decision on the request that opened it; null by the clock. */
  readonly decision_id: string | null;
  readonly request_id: string | null;
  readonly user_id: string | null;
  readonly lease_uuid: string | null;
  readonly allocation_uuid: string | null;
  /** Names of the fields that got the value back that they had before the tenancy. */
  readonly fields: readonly string[];
  /** Values that the former tenant wrote, by field, without those that views of a node hide. */
  readonly sealed: Readonly<Record<string, unknown>>;
  readonly opened_at: string;
}

/** How a machine passed from one tenancy to the next. Moments are as `timestampOf` writes them. */
export interface HandoverRecord extends Omit<HandoverOpening, 'fields' | 'plan'> {
  readonly status: HandoverStatus;
  readonly phase: HandoverPhase;
  readonly plan: HandoverPlan;
  /** Why it failed; without details of the hardware that are hidden from a lessee. */
  readonly reason: string | null;
  /** SHA-256 of the certificate, or of the secret, of the agent that cleaned; null if none did. */
  readonly agent: string | null;
  /** In the order in which they were done. */
  readonly steps: readonly HandoverStep[];
  /** Clean steps with their results, as they were reported; those of a cleaning that failed stay. */
  readonly erased: readonly Readonly<Record<string, unknown>>[];
  /** Hardware settings that were put back, and the names of the fields that were (`fields`). */
  readonly put_back: Readonly<Record<string, unknown>>;
  /** Firmware components with their versions when it was completed; `source` says who knew: `bmc`, or `inventory`. */
  readonly firmware: readonly Readonly<Record<string, unknown>>[];
  readonly updated_at: string | null;
  readonly completed_at: string | null;
  /** Grows with every write. */
  readonly revision: number;
  /** Its place among the completed handovers of the node, from 1 on; null while it is open. */
  readonly number: number | null;
  /** Digest of the one before. */
  readonly previous: string | null;
  readonly digest: string | null;
  readonly signature: string | null;
  /** Digest of `sealed` where that is no longer stored: only the last ones of a node are. */
  readonly sealed_digest?: string | null;
}

/** State that a node keeps across tenancies, beside its fields. */
export interface NodeCustody {
  /** Value that each field had before the present tenant first changed it. */
  readonly before?: Readonly<Record<string, unknown>>;
  /** Whether the machine received any order in this tenancy. */
  readonly touched?: boolean;
  /** The newest handover, until its record says that it is complete. */
  readonly opening?: HandoverOpening | null;
  /** Number and digest of the last completed handover. */
  readonly head?: { readonly count: number; readonly digest: string | null };
}

/**
 * Whether the machine was cleaned since, according to the record. The state of the node is not enough: a user of the machine
 * can move it out of a failed cleaning.
 */
export function wasCleaned({ steps }: Pick<HandoverRecord, 'steps'>): boolean {
  const last = steps.findLast(({ step }) => step === 'clean');
  return last !== undefined && last.outcome !== 'failed';
}
