import { type HandoverRecord } from '@tenure/contracts';

/** What binds a completed handover to the one before it. */
type CustodySeal = Pick<HandoverRecord, 'number' | 'previous' | 'digest' | 'signature'>;

/** Number and digest of the last completed handover of a node. */
export interface CustodyHead {
  readonly count: number;
  readonly digest: string | null;
}

/** Signs completed handovers. */
export interface CustodySigner {
  /**
   * @param record complete, but for its seal
   * @param head of the node, before this one
   * @throws when it cannot sign now: the handover stays open then
   */
  readonly sign: (record: HandoverRecord, head: CustodyHead) => Promise<CustodySeal>;
}

/** Seals nothing. */
export const UNSIGNED: CustodySigner = {
  sign: () => Promise.resolve({ number: null, previous: null, digest: null, signature: null }),
};
