import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { readBundleEntries, writeBundleEntries } from '@tenure/policy/runtime';
import { type Redis, type Seal } from '@tenure/shared-state';
import { DesiredRevision } from '../domain/desired-revision.js';
import { ReplicaMessage, ReplicaReport } from '../domain/replica-messages.js';
import { type ReplicaRegistry } from '../ports/replica-registry.js';

export interface RedisRegistryOptions {
  readonly redis: Redis;
  /** For bundles, which take longer than a command may otherwise. */
  readonly slow: Redis;
  /** Used for subscriptions only. */
  readonly subscriber: Redis;
  readonly seal: Seal;
  /** Bytes of a bundle, packed. */
  readonly maxBytes: number;
  /** Called for each entry or message that no replica wrote. */
  readonly onForged: () => void;
}

const DESIRED = 'tenure:policy:desired';
const REPLICAS = 'tenure:policy:replicas';
const CHANNEL = 'tenure:policy:calls';

const BUNDLE_MS = 10 * 60_000;
const MAX_MESSAGE = 1024;
/** Base64, overlays and seal beside the bytes. */
const OVERHEAD = 2;

const Bundle = Type.Object({
  archive: Type.String(),
  overlays: Type.Array(Type.Object({ file: Type.String(), text: Type.String() })),
});

/** Compare-and-set, so that two replicas with concurrent commands do not overwrite each other. */
const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
`;

type Open = <S extends TSchema>(
  schema: S,
  purpose: string,
  name: string,
  text: string,
) => Static<S> | undefined;

/** A registry in Redis. Each entry and message carries a MAC over its kind, its key and its value. */
export function createRedisRegistry(options: RedisRegistryOptions): ReplicaRegistry {
  const { redis, seal, onForged } = options;
  const open: Open = (schema, purpose, name, text) => {
    const value = seal.open(purpose, name, text);
    if (matches(schema, value)) return value;
    onForged();
    return undefined;
  };
  return {
    readDesired: async () => {
      const mark = (await redis.get(DESIRED)) ?? '';
      const desired = mark === '' ? undefined : open(DesiredRevision, 'policy-desired', '', mark);
      return { mark, desired };
    },
    writeDesired: async (desired, { mark }) =>
      (await redis.eval(REPLACE, 1, DESIRED, mark, seal.seal('policy-desired', '', desired))) === 1,
    ...bundlesIn(options, open),
    ...reportsIn(options, open),
    ...messagesIn(options, open),
  };
}

const bundlesIn = (
  { redis, slow, seal, maxBytes }: RedisRegistryOptions,
  open: Open,
): Pick<ReplicaRegistry, 'putBundle' | 'getBundle'> => ({
  putBundle: async (revision, { bundle, overlays }) => {
    const archive = writeBundleEntries(bundle);
    const value = { archive: Buffer.from(archive).toString('base64'), overlays };
    const sealed = seal.seal('policy-bundle', revision, value);
    if (archive.length > maxBytes || sealed.length > maxBytes * OVERHEAD) throw tooLarge();
    await slow.set(bundleKey(revision), sealed, 'PX', BUNDLE_MS);
  },
  getBundle: async (revision) => {
    const key = bundleKey(revision);
    if ((await redis.strlen(key)) > maxBytes * OVERHEAD) throw tooLarge();
    const text = await slow.get(key);
    const value = text === null ? undefined : open(Bundle, 'policy-bundle', revision, text);
    if (value === undefined) return undefined;
    const bundle = await readBundleEntries(Buffer.from(value.archive, 'base64'));
    return { bundle, overlays: value.overlays };
  },
});

const reportsIn = (
  { redis, seal }: RedisRegistryOptions,
  open: Open,
): Pick<ReplicaRegistry, 'report' | 'remove' | 'reports'> => ({
  report: async (report) => {
    await redis.hset(REPLICAS, report.id, seal.seal('policy-replica', report.id, report));
  },
  remove: async (id) => {
    await redis.hdel(REPLICAS, id);
  },
  reports: async () => {
    const all = Object.entries(await redis.hgetall(REPLICAS)).map(
      ([id, text]) => [id, open(ReplicaReport, 'policy-replica', id, text)] as const,
    );
    const forged = all.filter(([, report]) => report === undefined).map(([id]) => id);
    if (forged.length > 0) await redis.hdel(REPLICAS, ...forged);
    return all.flatMap(([, report]) => (report === undefined ? [] : [report]));
  },
});

const messagesIn = (
  { redis, subscriber, seal, onForged }: RedisRegistryOptions,
  open: Open,
): Pick<ReplicaRegistry, 'publish' | 'subscribe'> => ({
  publish: async (message) => {
    await redis.publish(CHANNEL, seal.seal('policy-call', '', message));
  },
  subscribe: (onMessage) => {
    subscriber.on('message', (_channel, text) => {
      if (text.length > MAX_MESSAGE) {
        onForged();
        return;
      }
      const message = open(ReplicaMessage, 'policy-call', '', text);
      if (message !== undefined) onMessage(message);
    });
    const subscribe = (): void => {
      subscriber.subscribe(CHANNEL).then(
        () => {
          // Messages of the meantime were missed.
          onMessage({ look: 'source' });
        },
        () => undefined,
      );
    };
    subscriber.on('ready', subscribe);
    if (subscriber.status === 'ready') subscribe();
  },
});

const tooLarge = (): Error => new Error('the bundle is too large to be published');

const bundleKey = (revision: string): string => `tenure:policy:bundle:${revision}`;
