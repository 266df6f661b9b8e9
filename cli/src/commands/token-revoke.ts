import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadConfig, secondsOf } from '@tenure/process';
import {
  createFileRevocations,
  createRedisRevocations,
  createSeal,
  loadOrCreateSealKeys,
  openRedis,
  REDIS_VARIABLES,
  redisAddressOf,
  type RedisConfig,
  revocationFile,
  type RevocationEntry,
  type RevocationStore,
} from '@tenure/shared-state';
import { type CommandContext } from '../terminal/command-context.js';

export interface RevokeOptions {
  readonly tokenFile?: string;
  readonly auditId?: string;
  readonly user?: string;
  readonly project?: string;
  readonly keep: string;
  readonly redisUrl?: string;
  readonly dataDir: string;
}

const STDIN = 0;

/**
 * Writes a revocation where every gateway reads it within REVOCATION_SECONDS.
 * @throws Error when no token is selected, or when the write was not confirmed
 */
export async function revokeToken(options: RevokeOptions, context: CommandContext): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const entry: RevocationEntry = {
    ...namedBy(options),
    id: randomUUID(),
    issued_before: now,
    until: now + secondsOf(options.keep),
  };
  await withStore(options, context, (store) => store.add(entry));
  context.stdout.line(`revoked: ${entry.id}`);
}

function namedBy({ tokenFile, auditId, user, project }: RevokeOptions): Partial<RevocationEntry> {
  const named = {
    ...(tokenFile !== undefined && { token_sha256: digestOfToken(tokenFile) }),
    ...(auditId !== undefined && { audit_id: auditId }),
    ...(user !== undefined && { user_id: user }),
    ...(project !== undefined && { project_id: project }),
  };
  if (Object.keys(named).length === 0)
    throw new Error('say what to revoke: --token-file F, --audit-id ID, --user U or --project P');
  if (Object.values(named).includes('')) throw new Error('what to revoke must not be empty');
  return named;
}

async function withStore(
  options: RevokeOptions,
  context: CommandContext,
  use: (store: RevocationStore) => Promise<void>,
): Promise<void> {
  const config = sharedBy(options, context);
  const address = redisAddressOf(config);
  const seal = createSeal(...loadOrCreateSealKeys(config.sealKeyFile));
  if (address === undefined) {
    const file = context.env['TENURE_REVOCATION_FILE'] ?? revocationFile(options.dataDir);
    await use(createFileRevocations(file, seal));
    return;
  }
  const redis = openRedis(address, { onError: () => undefined });
  try {
    await redis.connect();
    await use(createRedisRevocations(redis, seal));
  } finally {
    redis.disconnect();
  }
}

function digestOfToken(file: string): string {
  const token = readFileSync(file === '-' ? STDIN : file, 'utf8').trim();
  if (token === '') throw new Error(`there is no token in ${file}`);
  return createHash('sha256').update(token).digest('base64url');
}

/** Options on the command line override the environment. */
const sharedBy = ({ redisUrl, dataDir }: RevokeOptions, { env }: CommandContext): RedisConfig =>
  loadConfig(REDIS_VARIABLES, {
    ...env,
    TENURE_DATA_DIR: dataDir,
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl, REDIS_URL_FILE: '' }),
  });
