import { Type } from '@sinclair/typebox';
import {
  ConfigError,
  type ConfigOf,
  type Environment,
  secretFrom,
  type Variables,
} from '@tenure/process';
import { sealKeyFile } from './seal-key.js';

const File = { schema: Type.String({ minLength: 1 }), fallback: '' } as const;
// No query, so that a URL cannot turn off the check of certificates.
const URL_FORM = /^rediss?:\/\/[^\s?#]+$/u;
const EXPECTED = 'a redis:// or rediss:// URL without a query';

/** Address and credentials of Redis: one group of variables for all parts that share state in it. */
export const REDIS_VARIABLES = {
  redisUrl: {
    env: 'REDIS_URL',
    schema: Type.String({ pattern: URL_FORM.source, description: EXPECTED }),
    fallback: '',
    about:
      'what replicas share: redis:// or rediss:// with user and password of its ACL; none: this is the only replica',
  },
  redisUrlFile: {
    env: 'REDIS_URL_FILE',
    ...File,
    about: 'file with that URL, in place of REDIS_URL',
  },
  redisTlsCaFile: {
    env: 'REDIS_TLS_CA_FILE',
    ...File,
    about:
      'PEM file of the authorities whose certificate a rediss:// server must have; none: the system’s',
  },
  sealKeyFile: {
    env: 'TENURE_SHARED_STATE_KEY_FILE',
    schema: Type.String({ minLength: 1 }),
    derive: (env: Environment) => sealKeyFile(env['TENURE_DATA_DIR'] ?? '.data'),
    about:
      'key (base64url, 32 bytes or more) under which entries in Redis carry a MAC; the same for all replicas',
  },
} as const satisfies Variables;

export type RedisConfig = ConfigOf<typeof REDIS_VARIABLES>;

/** Address and trusted certificates of Redis. */
export interface RedisAddress {
  /** redis:// or rediss://, with user and password in it. */
  readonly url: string;
  /** Certificates in PEM; undefined for those that the system trusts. */
  readonly ca?: string;
}

/**
 * Combines these variables into an address.
 * @returns undefined when there is no Redis
 * @throws ConfigError naming the variable, and nothing of the URL
 */
export function redisAddressOf({
  redisUrl,
  redisUrlFile,
  redisTlsCaFile,
}: RedisConfig): RedisAddress | undefined {
  const url = secretFrom(redisUrl, redisUrlFile, 'REDIS_URL');
  if (url === '') return undefined;
  if (!URL_FORM.test(url) || !URL.canParse(url))
    throw new ConfigError([
      `${redisUrlFile === '' ? 'REDIS_URL' : 'REDIS_URL_FILE'} must be: ${EXPECTED}`,
    ]);
  if (redisTlsCaFile === '') return { url };
  if (!url.startsWith('rediss://'))
    throw new ConfigError(['REDIS_TLS_CA_FILE is for a rediss:// URL']);
  return { url, ca: secretFrom('', redisTlsCaFile, 'REDIS_TLS_CA') };
}
