import { mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasCode } from '@tenure/process';

/** An instance's own directory, held until it is released. */
export interface HeldInstance {
  readonly instance: string;
  readonly dir: string;
  readonly release: () => void;
}

const LOCK_FILE = 'writer.lock';
const DIR_MODE = 0o700;
/** More processes of one name than anybody runs on one machine. */
const MAX_INSTANCES = 64;

/**
 * Takes a directory that no other living process writes to: that of `name`, or of `name-2`, `name-3`…
 * @param root where the directories of instances are
 * @throws Error when it cannot be written, or all are taken
 */
export function holdInstance(root: string, name: string): HeldInstance {
  for (let number = 1; number <= MAX_INSTANCES; number += 1) {
    const instance = number === 1 ? name : `${name}-${number}`;
    const dir = path.join(root, instance);
    mkdirSync(dir, { recursive: true, mode: DIR_MODE });
    const lock = path.join(dir, LOCK_FILE);
    if (take(lock))
      return {
        instance,
        dir,
        release: () => {
          rmSync(lock, { force: true });
        },
      };
  }
  throw new Error(`${MAX_INSTANCES} processes write to ${root} as ${name} already`);
}

function take(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n${commandOf(process.pid) ?? ''}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  if (isHeld(file)) return false;
  letGo(file);
  return take(file);
}

function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return undefined;
  }
}

/** A process id alone may have been given to somebody else since. */
function isHeld(file: string): boolean {
  const [pid = '', ...command] = readFileSync(file, 'utf8').split('\n');
  return Number(pid) !== process.pid && commandOf(Number(pid)) === command.join('\n');
}

/** Unlike `rmSync`, this fails with the code of the system, such as EROFS. */
function letGo(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
