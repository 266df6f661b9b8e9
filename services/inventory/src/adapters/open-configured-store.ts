import path from 'node:path';
import { mongodbAddressOf, type ObserveDependency } from '@tenure/process';
import { type StoreConfig } from '../config-store.js';
import { type OpenStore } from '../ports/open-store.js';
import { openMongoStore } from './stores-mongo.js';
import { openSqliteStore } from './stores-sqlite.js';

const NAMES = { uri: 'MONGODB_URI', tlsCaFile: 'MONGODB_TLS_CA_FILE' } as const;

export interface ConfiguredStore extends OpenStore {
  readonly isEmbedded: boolean;
}

/**
 * Opens the store that is configured: a MongoDB, or else the embedded one.
 * @param options for MongoDB alone: see there
 * @throws ConfigError, or MongoError when it is not there
 */
export const openConfiguredStore = async (
  config: StoreConfig,
  options: { readonly socketMs?: number; readonly observe?: ObserveDependency },
): Promise<ConfiguredStore> => {
  const { dataDir, mongodbUri, mongodbUriFile, mongodbTlsCaFile, mongodbDatabase } = config;
  const given = { uri: mongodbUri, uriFile: mongodbUriFile, tlsCaFile: mongodbTlsCaFile };
  const address = mongodbAddressOf(given, NAMES);
  if (address === undefined)
    return { ...openSqliteStore(path.join(dataDir, 'inventory.sqlite')), isEmbedded: true };
  const store = await openMongoStore({ address, database: mongodbDatabase, ...options });
  return { ...store, isEmbedded: false };
};
