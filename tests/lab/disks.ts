import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { sleep } from '../support/wait.js';

const run = promisify(execFile);

/** Size of a disk; only the used part takes memory. Larger than the reserve of the decision point. */
const SIZE = '16g';
const NOT_HERE = 'a tmpfs cannot be mounted here';

/** Disks of their own for some replicas, which can be full and read-only. */
export class Disks {
  /** Why there are none; undefined when there are. */
  #lack: string | undefined;
  readonly #places = new Map<string, string>();

  get lack(): string | undefined {
    return this.#lack;
  }

  /** @param name of the replica @param at its data directory, which is made */
  add(name: string, at: string): void {
    mkdirSync(at, { recursive: true, mode: 0o700 });
    if (this.#lack !== undefined) return;
    try {
      const options = `size=${SIZE},mode=700`;
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', at], { stdio: 'ignore' });
      this.#places.set(name, at);
    } catch {
      this.#lack = NOT_HERE;
    }
  }

  /** Of a replica; undefined when it has no disk of its own. */
  placeOf(name: string): string | undefined {
    return this.#places.get(name);
  }

  /** Gives the disks back. Their files stay, for whoever looks for the cause of a violation. */
  close(): void {
    for (const at of this.#places.values()) {
      const kept = `${at}.kept`;
      cpSync(at, kept, { recursive: true });
      execFileSync('umount', ['-l', at], { stdio: 'ignore' });
      cpSync(kept, at, { recursive: true });
      rmSync(kept, { recursive: true });
    }
    this.#places.clear();
  }
}

/** Data directory of a replica that has files of its own. */
export const ownDirectory = (dataDir: string, name: string): string => path.join(dataDir, name);

/** The embedded store. */
export const storeFile = (dataDir: string): string =>
  path.join(ownDirectory(dataDir, 'inventory-0'), 'inventory.sqlite');

/** Shrinks the disk to the space in use. Concurrent writes make an attempt fail now and then. */
export async function fill(at: string): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    const { blocks, bfree, bsize } = statfsSync(at);
    // A size of 0 would mean that there is no limit.
    const used = Math.max(1, blocks - bfree) * bsize;
    if (await remounted(at, `size=${String(used)}`)) return;
  }
}

/** As a volume that is attached again after a failure. It can be made so only while no process has a file open for writing. */
export async function makeReadOnly(at: string): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    if (await remounted(at, 'ro')) return;
    await sleep(10);
  }
}

/** Ends both. */
export async function makeUsable(at: string): Promise<void> {
  await remounted(at, `rw,size=${SIZE}`);
}

const remounted = async (at: string, options: string): Promise<boolean> =>
  run('mount', ['-o', `remount,${options}`, at]).then(
    () => true,
    () => false,
  );
