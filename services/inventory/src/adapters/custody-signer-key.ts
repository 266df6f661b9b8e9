import { keepPublicKeys, loadOrCreateSigningKeys, signStatement } from '@tenure/decision-log';
import { custodyStamp } from '../domain/custody-chain.js';
import { type CustodySigner } from '../ports/custody-signer.js';

/**
 * Signs with the key in a PEM file, which is made when it is missing. The public halves of the keys that were in use are
 * kept beside it.
 * @throws Error when the file holds no EC key on P-256, or cannot be read
 */
export function openCustodySigner(keyFile: string): CustodySigner {
  const keys = loadOrCreateSigningKeys(keyFile);
  return {
    sign: (record, head) =>
      Promise.try(() =>
        custodyStamp((statement) => signStatement(statement, keys.key), record, head),
      ),
    publicKeys: keepPublicKeys(keyFile, keys).map((key) =>
      key.export({ type: 'spki', format: 'pem' }).toString(),
    ),
  };
}
