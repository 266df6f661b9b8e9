/** One span as others name it: what `traceparent` and `tracestate` of W3C Trace Context say. */
export interface TracePlace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** `tracestate`, as it came. */
  readonly state?: string | undefined;
}

const TRACEPARENT =
  /^00-(?<traceId>(?!0{32})[0-9a-f]{32})-(?<spanId>(?!0{16})[0-9a-f]{16})-(?<flags>[0-9a-f]{2})$/u;
const SAMPLED = 1;
// Printable, and no longer than what the recommendation asks everyone to pass on.
const TRACESTATE = /^[\x20-\x7e]{1,512}$/u;

/** Undefined for a header that is not version 00 of the W3C recommendation: the request then has no trace to join. */
export function placeOf(
  traceparent: string | readonly string[] | undefined,
  tracestate?: string | readonly string[],
): TracePlace | undefined {
  const groups =
    typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.groups : undefined;
  if (groups === undefined) return undefined;
  const { traceId = '', spanId = '', flags = '' } = groups;
  const state =
    typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? tracestate : undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED, state };
}

/** The value of `traceparent` for calls from this place. */
export const traceparentOf = ({ traceId, spanId, isSampled }: TracePlace): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
