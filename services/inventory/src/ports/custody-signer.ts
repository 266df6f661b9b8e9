import { type CustodyHead, type CustodyStamp, type HandoverRecord } from '@tenure/contracts';

/** Signs completed handovers, with a key that the store does not hold. */
export interface CustodySigner {
  /**
   * @param record complete, but for its stamp
   * @param head of the node, before this one
   * @throws when it cannot sign now: the handover stays open then
   */
  readonly sign: (record: HandoverRecord, head: CustodyHead) => Promise<CustodyStamp>;
  /** Public keys in PEM form of which one signed each record: the present one first, then replaced ones. */
  readonly publicKeys: readonly string[];
}
