export { type ChainPosition } from './chain.js';
export { lockInstance, type InstanceLock } from './instance-lock.js';
export { decisionLogDir, hasRecords, instancesIn } from './layout.js';
export { createLogWriter, type LogWriter, type LogWriterOptions } from './log-writer.js';
export { type RetiredFor } from './retention.js';
export { RETENTION_FILE, RetentionState } from './retention-state.js';
export {
  type LogUsage,
  openSegments,
  type SegmentOptions,
  type SegmentStore,
} from './segment-store.js';
export {
  findDecision,
  followDecisions,
  logEnds,
  linesBehind,
  LOG_START,
  type LogCursor,
  type LoggedDecision,
  newestDecisions,
  oldestDecisions,
} from './read.js';
export {
  custodyKeyFile,
  keepPublicKeys,
  loadOrCreateSigningKeys,
  publicKeyFileBeside,
  signingKeyFile,
  verificationKeyFile,
} from './signing-key.js';
export { publicKeysOf, signStatement } from './statements.js';
export { type Finding, type Verified, verifyLog } from './verify.js';
export {
  type CustodyChain,
  type CustodyFinding,
  type VerifiedCustody,
  verifyCustody,
} from './verify-custody.js';
