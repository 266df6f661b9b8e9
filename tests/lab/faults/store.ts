import { DatabaseSync } from 'node:sqlite';
import { storeFile } from '../disks.js';
import { type World } from '../world.js';
import { nothing, type Undo } from './undo.js';

/** Freezes MongoDB, or locks the file of the embedded store. */
export function stopStore(world: World): Undo {
  const { mongo } = world.cluster;
  if (mongo === undefined) return lockFile(world);
  mongo.freeze();
  return () => {
    mongo.thaw();
  };
}

/** Another connection that locks the whole file, as a backup tool might. Nothing happens when it cannot be locked now. */
function lockFile(world: World): Undo {
  const other = new DatabaseSync(storeFile(world.cluster.dataDir), { timeout: 100 });
  try {
    other.exec('BEGIN EXCLUSIVE');
  } catch {
    other.close();
    return nothing;
  }
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
}
