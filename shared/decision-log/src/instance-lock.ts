import { mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasCode } from '@tenure/process';

/** The lock on an instance's own directory. */
export interface InstanceLock {
  readonly instance: string;
  readonly dir: string;
  readonly release: () => void;
}

const LOCK_FILE = 'writer.lock';
const DIR_MODE = 0o700;
/** Maximum number of processes of one name on one machine. */
const MAX_INSTANCES = 64;

/**
 * Locks a directory that no other running process writes to: that of `name`, or of `name-2`, `name-3`…
 * @param root where the directories of instances are
 * @throws Error when it cannot be written, or all are locked
 */
export function lockInstance(root: string, name: string): InstanceLock {
  for (let number = 1; number <= MAX_INSTANCES; number += 1) {
    const instance = number === 1 ? name : `${name}-${number}`;
    const dir = path.join(root, instance);
    mkdirSync(dir, { recursive: true, mode: DIR_MODE });
    const lock = path.join(dir, LOCK_FILE);
    if (tryLock(lock))
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

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n${commandOf(process.pid) ?? ''}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  if (isLocked(file)) return false;
  removeLock(file);
  return tryLock(file);
}

function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return undefined;
  }
}

/** A process id alone is not enough: the system may have given it to another process since. */
function isLocked(file: string): boolean {
  const [pid = '', ...command] = readFileSync(file, 'utf8').split('\n');
  return Number(pid) !== process.pid && commandOf(Number(pid)) === command.join('\n');
}

/** Unlike `rmSync`, this fails with the code of the system, such as EROFS. */
function removeLock(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
