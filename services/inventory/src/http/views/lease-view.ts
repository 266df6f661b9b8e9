import { type ContextClaims, minorOf } from '@tenure/contracts';
import { LEASE } from '../../domain/kinds/lease.js';
import { statusAt } from '../../domain/lease.js';
import { type StoredLease } from '../../ports/stores.js';
import { resourceView } from './resource-view.js';

/**
 * A lease as its caller sees it, with the status that it has now.
 * @param now as `timestampOf` writes it
 * @param fields what was asked for; everything when undefined
 */
export const leaseView = (
  lease: StoredLease,
  context: ContextClaims,
  now: string,
  fields?: readonly string[],
): Readonly<Record<string, unknown>> =>
  resourceView(
    LEASE,
    { ...lease, status: statusAt(lease, now) },
    {
      base: context.public_base,
      minor: minorOf(context),
      masked: new Set(context.obligations.fields.masked),
    },
    fields,
  );
