import { UnavailableError } from '@tenure/contracts';

/**
 * The store needs an operator: it is corrupt, or its file is no longer the one that was opened. It does not recover before
 * a restart. The message has no path and may be shown to any caller.
 */
export class BrokenStoreError extends UnavailableError {}
