import path from 'node:path';
import { mongodbAddressOf, type ObserveDependency } from '@tenure/process';
import { type StoreConfig } from '../config-store.js';
import { type OpenStore } from '../ports/open-store.js';
import { openMongoStore } from './stores-mongo.js';
import { openSqliteStore, viewSqliteStore } from './stores-sqlite.js';

const NAMES = { uri: 'MONGODB_URI', tlsCaFile: 'MONGODB_TLS_CA_FILE' } as const;

export interface ConfiguredStore extends OpenStore {
  readonly isEmbedded: boolean;
}

interface OpeningOptions {
  /** Of the embedded store: leaves the file as it is, and makes none. */
  readonly isReadOnly?: boolean;
  /** Of MongoDB: see there. */
  readonly socketMs?: number;
  readonly observe?: ObserveDependency;
}

/**
 * Opens the store that is configured: a MongoDB, or else the embedded one.
 * @throws ConfigError, or MongoError when it is not there
 */
export const openConfiguredStore = async (
  config: StoreConfig,
  { isReadOnly = false, ...options }: OpeningOptions,
): Promise<ConfiguredStore> => {
  const { dataDir, mongodbUri, mongodbUriFile, mongodbTlsCaFile, mongodbDatabase } = config;
  const given = { uri: mongodbUri, uriFile: mongodbUriFile, tlsCaFile: mongodbTlsCaFile };
  const address = mongodbAddressOf(given, NAMES);
  if (address === undefined) {
    const file = path.join(dataDir, 'inventory.sqlite');
    return { ...(isReadOnly ? viewSqliteStore(file) : openSqliteStore(file)), isEmbedded: true };
  }
  const store = await openMongoStore({ address, database: mongodbDatabase, ...options });
  return { ...store, isEmbedded: false };
};
