import { statSync } from 'node:fs';
import path from 'node:path';
import { mongodbAddressOf, type ObserveDependency, openOnDisk } from '@tenure/process';
import { createStoreMemory } from './adapters/store-memory-file.js';
import { openMongoStore } from './adapters/stores-mongo.js';
import { openSqliteStore, viewSqliteStore } from './adapters/stores-sqlite.js';
import { type StoreConfig } from './config-store.js';
import { EMBEDDED, mongodbPlace } from './domain/registered-stores.js';
import { type ConfiguredStore } from './ports/open-store.js';

const NAMES = { uri: 'MONGODB_URI', tlsCaFile: 'MONGODB_TLS_CA_FILE' } as const;

interface OpeningOptions {
  /** Of the embedded store: leaves the file as it is, and makes none. */
  readonly isReadOnly?: boolean;
  /** Of MongoDB: see there. */
  readonly socketMs?: number;
  readonly observe?: ObserveDependency;
  /** Refuses a store by throwing. Called with an embedded store that does not exist before its file is made. */
  readonly admit?: (store: ConfiguredStore) => Promise<void>;
}

/**
 * Opens the store that is configured: a MongoDB, or else the embedded one.
 * @throws ConfigError, MongoError when it is not there, or what `admit` throws
 */
export async function openConfiguredStore(
  config: StoreConfig,
  options: OpeningOptions,
): Promise<ConfiguredStore> {
  const { dataDir, mongodbUri, mongodbUriFile, mongodbTlsCaFile, mongodbDatabase } = config;
  const given = { uri: mongodbUri, uriFile: mongodbUriFile, tlsCaFile: mongodbTlsCaFile };
  const address = mongodbAddressOf(given, NAMES);
  if (address === undefined) return openEmbedded(dataDir, options);
  const { admit, ...client } = options;
  const store = await openMongoStore({ ...client, address, database: mongodbDatabase });
  const place = mongodbPlace(mongodbDatabase);
  const memory = createStoreMemory(dataDir);
  return admitted({ ...store, isEmbedded: false, place, memory }, admit);
}

async function openEmbedded(
  dataDir: string,
  { isReadOnly = false, admit }: OpeningOptions,
): Promise<ConfiguredStore> {
  const file = path.join(dataDir, 'inventory.sqlite');
  const found = { isEmbedded: true, place: EMBEDDED, memory: createStoreMemory(dataDir) };
  const view = (): Promise<ConfiguredStore> =>
    admitted({ ...viewSqliteStore(file), ...found }, admit);
  if (isReadOnly) return view();
  if (isMissing(file)) await (await view()).stores.close();
  const store = await openOnDisk(`the store ${file}`, () => openSqliteStore(file));
  return admitted({ ...store, ...found }, admit);
}

async function admitted(
  store: ConfiguredStore,
  admit: OpeningOptions['admit'],
): Promise<ConfiguredStore> {
  try {
    await admit?.(store);
    return store;
  } catch (error) {
    await store.stores.close();
    throw error;
  }
}

const isMissing = (file: string): boolean =>
  (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
