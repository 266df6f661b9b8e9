import { timestampOf } from '@tenure/contracts';

/** A moment as Nova shows it, of one as it is stored. */
export const novaMoment = (stored: string): string => `${stored.slice(0, 19)}Z`;

/** A moment as Nova shows it in `OS-SRV-USG`: without a zone, and with a fraction. */
export const usageMoment = (stored: string): string => `${stored.slice(0, 19)}.000000`;

/** As it is stored, `seconds` later. */
export const later = (now: Date, seconds: number): string =>
  timestampOf(new Date(now.getTime() + seconds * 1000));
