import { type CustodyHead, type CustodyStamp, type HandoverRecord } from '@tenure/contracts';

/** Signs what a node's handovers were, with a key that the store does not hold. */
export interface CustodySigner {
  /**
   * @param record as it will be stored, complete, but for its stamp
   * @param head where the chain of its node ends
   */
  readonly sign: (record: HandoverRecord, head: CustodyHead) => CustodyStamp;
  /** Public keys in PEM form of which one signed each record: the present one first, then replaced ones. */
  readonly publicKeys: readonly string[];
}
