import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { decisionLogDir, hasRecords } from '@tenure/decision-log';
import { replaceFile, textIfThere } from '@tenure/process';
import { type RegisteredStores } from '../domain/registered-stores.js';
import { type StoreMemory } from '../ports/store-memory.js';

/** Not beside the store by its name, so that it stays when the store's files are removed together. */
const FILE = 'store-marks.json';
/** Its name in earlier releases. It is removed with each mark, so one that is there has a later mark. */
const EARLIER_FILE = 'known-stores.json';

const Content = Type.Object({
  stores: Type.Record(
    Type.String({ maxLength: 200 }),
    Type.Object({
      identity: Type.String({ minLength: 1, maxLength: 64 }),
      marker: Type.Integer({ minimum: 0 }),
    }),
  ),
});

/** Remembers in a file of the data directory. */
export function createStoreMemory(dataDir: string): StoreMemory {
  const file = path.join(dataDir, FILE);
  const earlier = path.join(dataDir, EARLIER_FILE);
  const registered = async (): Promise<RegisteredStores> => {
    // The earlier file first: another replica may replace it by the new one in between.
    const ofEarlier = await registeredIn(earlier);
    return { ...(await registeredIn(file)), ...ofEarlier };
  };
  return {
    registered,
    hasDecisions: () => hasRecords(decisionLogDir(dataDir)),
    remember: async (place, mark) => {
      if (!existsSync(dataDir)) return;
      const content = `${JSON.stringify({ stores: { ...(await registered()), [place]: mark } })}\n`;
      // Replicas with a MongoDB may share the directory.
      await replaceFile(file, content, `${file}.${String(process.pid)}.new`);
      await rm(earlier, { force: true });
    },
  };
}

async function registeredIn(file: string): Promise<RegisteredStores> {
  const text = await textIfThere(file);
  if (text === undefined) return {};
  const content = parsed(text);
  if (matches(Content, content)) return content.stores;
  throw new Error(
    `${file}, the record of the stores of this data directory, is corrupt. If the store is the right one, ` +
      'remove that file.',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
