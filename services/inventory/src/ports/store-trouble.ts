import { UnavailableError } from '@tenure/contracts';

/**
 * The store needs an operator: it is corrupt, or its file is no longer the one that was opened. It does not recover
 * before a restart. The message has no path, so any caller may see it.
 */
export class BrokenStoreError extends UnavailableError {}
