import { BadRequestError, isSecretKey, type NodeRecord } from '@tenure/contracts';
import { type PatchOperation } from './node-patch.js';

const ADDRESS = /^([^_]+)_(?:.*_)?address$/iu;

const originOf = (address: unknown): string => {
  const text = typeof address === 'string' ? address.trim() : JSON.stringify(address);
  const url = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `https://${text}`;
  const parsed = URL.parse(url);
  // Of other schemes than the web's there is no origin; then every difference counts.
  return parsed === null || parsed.origin === 'null' ? text : parsed.origin;
};

type Members = Readonly<Record<string, unknown>>;

const isGiven = (operations: readonly PatchOperation[], key: string): boolean =>
  operations.some(({ op, field, below, value }) => {
    if (field !== 'driver_info' || op === 'remove') return false;
    if (below.length > 0) return below.length === 1 && below[0] === key;
    return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  });

/**
 * A stored secret is never sent to a host that was not named together with it: who may write `driver_info` may not read
 * it, and would otherwise have it sent to a host of their own.
 * @throws BadRequestError when the host of a `…_address` changes and a stored secret of the same driver would go with it
 */
export const assertSecretsStay = (
  before: NodeRecord,
  after: NodeRecord,
  operations: readonly PatchOperation[],
): void => {
  const old: Members = before.driver_info;
  const fresh: Members = after.driver_info;
  for (const [key, address] of Object.entries(fresh)) {
    const prefix = ADDRESS.exec(key)?.[1];
    if (prefix === undefined || address === null) continue;
    if (Object.hasOwn(old, key) && originOf(old[key]) === originOf(address)) continue;
    const carried = Object.keys(old).find(
      (name) =>
        name.toLowerCase().startsWith(`${prefix.toLowerCase()}_`) &&
        isSecretKey('driver_info', name) &&
        (old[name] ?? null) !== null &&
        (fresh[name] ?? null) !== null &&
        !isGiven(operations, name),
    );
    if (carried !== undefined)
      throw new BadRequestError(
        `driver_info/${key.slice(0, 64)} names another host: set driver_info/${carried.slice(0, 64)} again in the same request.`,
      );
  }
};
