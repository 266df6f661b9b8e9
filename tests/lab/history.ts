/** A client's request and its outcome. */
export type Outcome =
  /** It was acknowledged. */
  | 'ok'
  /** It was refused, and nothing was done. */
  | 'refused'
  /** No answer, or one that leaves it open (502, 503, 504): it may have been done, or be done later. */
  | 'unknown';

interface Timed {
  /** Milliseconds since the run began. */
  readonly atMs: number;
}

/** The events of a run, in the order in which they were noticed. */
export type Entry = Timed &
  (
    | {
        readonly kind: 'request';
        readonly client: string;
        readonly line: string;
        readonly status: number | null;
        readonly outcome: Outcome;
        readonly tookMs: number;
        /** Id of the decision that the answer names; null when it names none. */
        readonly decision: string | null;
        /** A gateway was stopped or cut off meanwhile: then nothing bounds the answer but the client. */
        readonly isExcused: boolean;
        /** A gateway's clock was wrong meanwhile: then it may take good tokens for expired ones. */
        readonly isClockWrong: boolean;
      }
    | { readonly kind: 'fault'; readonly what: string }
    /** A member of `extra` of a node, written under a key of its own. */
    | {
        readonly kind: 'write';
        readonly node: string;
        readonly key: string;
        readonly outcome: Outcome;
      }
    /** An order, from its request until its node was at rest again. */
    | {
        readonly kind: 'order';
        readonly node: string;
        readonly target: string;
        readonly outcome: Outcome;
        /** The node's fields then: its state of the order's kind, and its error. Null when it did not come to rest in time. */
        readonly end: { readonly state: string | null; readonly error: string | null } | null;
        /** Commands that its BMC carried out meanwhile. */
        readonly commands: readonly string[];
        /** Its BMC acknowledged a command and ignored it. */
        readonly isIgnored: boolean;
      }
    /** Somebody whose tenancy had ended before the request began. */
    | {
        readonly kind: 'former';
        readonly node: string;
        readonly line: string;
        readonly status: number | null;
      }
    /** An allocation that became active on a node, and that was released. */
    | {
        readonly kind: 'allocated' | 'released';
        readonly allocation: string;
        readonly node: string;
      }
    /** An allocation that was accepted, and did not come to an end in time. */
    | { readonly kind: 'waiting'; readonly allocation: string }
    /** A conductor's lock, as the inventory confirmed it. */
    | {
        readonly kind: 'lock';
        readonly node: string;
        readonly holder: string;
        readonly fence: number;
        /** Of the node, with this very write. */
        readonly revision: number;
      }
  );

/** The state when all faults are over and all work has had time to finish. */
export interface FinalState {
  readonly nodes: readonly {
    readonly uuid: string;
    readonly reservation: string | null;
    readonly provisionState: string;
    readonly targetPowerState: string | null;
    readonly extra: Readonly<Record<string, unknown>>;
    readonly allocation: string | null;
  }[];
  readonly allocations: readonly { readonly uuid: string; readonly state: string }[];
  readonly handovers: readonly { readonly uuid: string; readonly status: string }[];
  /** The output of the check of the decision log when it found a fault; null when it is whole. */
  readonly decisionLog: string | null;
  /** Ids of the decisions in the logs. */
  readonly logged: ReadonlySet<string>;
  /** Parts that are not ready. */
  readonly notReady: readonly string[];
}

/** Adds to a history. */
export type AddEntry = (entry: WithoutTime<Entry>) => void;

type WithoutTime<E> = E extends unknown ? Omit<E, 'atMs'> : never;

export function createHistory(): {
  readonly entries: readonly Entry[];
  readonly add: AddEntry;
} {
  const began = performance.now();
  const entries: Entry[] = [];
  return {
    entries,
    add: (entry) => {
      entries.push({ ...entry, atMs: Math.round(performance.now() - began) });
    },
  };
}
