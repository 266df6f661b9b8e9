import { createSecretKey, randomBytes } from 'node:crypto';
import { type PartName } from '@tenure/contracts';
import { type ContextKeys, type PairKeys } from '@tenure/signed-context';

/** The key sets of a caller and an audience that share one key. */
export const sharedKeys = (
  caller: PartName,
  audience: PartName,
): { readonly caller: ContextKeys; readonly audience: ContextKeys } => {
  const pair: PairKeys = [createSecretKey(randomBytes(32))];
  return {
    caller: { self: caller, outgoing: new Map([[audience, pair]]), incoming: new Map() },
    audience: { self: audience, outgoing: new Map(), incoming: new Map([[caller, pair]]) },
  };
};
