import { BadRequestError, isSecretKey, type NodeRecord } from '@tenure/contracts';
import { type PatchOperation } from './patch-operations.js';

const ADDRESS = /^([^_]+)_(?:.*_)?address$/iu;

type Members = Readonly<Record<string, unknown>>;

/**
 * A stored secret is never sent to a host that was not named together with it. A caller that may write `driver_info`
 * may not read it, and could otherwise have it sent to a host of their own.
 * @throws BadRequestError when the host of a `…_address` changes and a stored secret of the same driver would be sent
 * there
 */
export function assertSecretsStay(
  before: NodeRecord,
  after: NodeRecord,
  operations: readonly PatchOperation[],
): void {
  const old: Members = before.driver_info;
  const fresh: Members = after.driver_info;
  let carriers: ReadonlyMap<string, string> | undefined;
  for (const [key, address] of Object.entries(fresh)) {
    const prefix = ADDRESS.exec(key)?.[1];
    if (prefix === undefined || address === null) continue;
    if (Object.hasOwn(old, key) && originOf(old[key]) === originOf(address)) continue;
    carriers ??= carriedSecrets(old, fresh, givenKeys(operations));
    const carried = carriers.get(prefix.toLowerCase());
    if (carried !== undefined)
      throw new BadRequestError(
        `driver_info/${key.slice(0, 64)} names another host: set driver_info/${carried.slice(0, 64)} again in the same request.`,
      );
  }
}

function originOf(address: unknown): string {
  const text = typeof address === 'string' ? address.trim() : JSON.stringify(address);
  const url = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `https://${text}`;
  const parsed = URL.parse(url);
  // Of other schemes than the web's there is no origin; then every difference counts.
  return parsed === null || parsed.origin === 'null' ? text : parsed.origin;
}

/** The first secret of each driver, by the part of its name before the first `_`, that is kept and was not set again. */
function carriedSecrets(
  old: Members,
  fresh: Members,
  given: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const carried = new Map<string, string>();
  for (const name of Object.keys(old)) {
    const lowered = name.toLowerCase();
    const prefix = lowered.slice(0, Math.max(lowered.indexOf('_'), 0));
    if (prefix === '' || carried.has(prefix) || given.has(name)) continue;
    if (!isSecretKey('driver_info', name)) continue;
    if ((old[name] ?? null) !== null && (fresh[name] ?? null) !== null) carried.set(prefix, name);
  }
  return carried;
}

/** Keys of `driver_info` that the operations set. */
function givenKeys(operations: readonly PatchOperation[]): ReadonlySet<string> {
  const given = new Set<string>();
  for (const { op, field, below, value } of operations) {
    if (field !== 'driver_info' || op === 'remove') continue;
    const [key, ...deeper] = below;
    if (key !== undefined && deeper.length === 0) given.add(key);
    if (key === undefined && isMembers(value))
      for (const name of Object.keys(value)) given.add(name);
  }
  return given;
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
