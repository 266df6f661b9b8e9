import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ownDirectory, storeFile } from '../disks.js';
import { type TornFile, type Fault } from '../fault.js';
import { type World } from '../world.js';
import { killed, podOf } from './pods.js';
import { nothing, type Undo } from './undo.js';

/** A record without its end, and a frame of SQLite's log whose checksum is wrong: what a write leaves that was under way. */
const TORN: Readonly<Record<TornFile, Buffer>> = {
  decisions: Buffer.from('{"seq":999999999,"prev":"sha256:0000'),
  'store-log': Buffer.alloc(3000, 0x5a),
};

/** Kills a replica, and tears the end of the file that it wrote last. */
export async function tear(
  world: World,
  fault: Extract<Fault, { readonly kind: 'damage' }>,
): Promise<Undo> {
  const pod = podOf(world, fault);
  if (pod === undefined) return nothing;
  await killed(pod);
  const file = fileOf(fault.what, world.cluster.dataDir, pod.name);
  // A full or read-only disk takes nothing, and a process that is back writes to the file itself.
  if (!pod.isAlive && file !== undefined && existsSync(file))
    try {
      appendFileSync(file, TORN[fault.what]);
    } catch {
      return nothing;
    }
  return nothing;
}

const fileOf = (what: TornFile, dataDir: string, name: string): string | undefined =>
  what === 'decisions' ? youngestSegment(dataDir, name) : `${storeFile(dataDir)}-wal`;

/** The youngest segment of a replica's decision log; undefined before its first record. */
function youngestSegment(dataDir: string, name: string): string | undefined {
  const directory = path.join(ownDirectory(dataDir, name), 'decisions');
  if (!existsSync(directory)) return undefined;
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .map((file) => path.join(directory, file))
    .at(-1);
}
