import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRunning } from '../support/processes.js';

/** Where Debian installs it. */
const LIBRARIES = ['x86_64', 'aarch64'].map(
  (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`,
);
const SHARED_MEMORY = '/dev/shm';
const LEFT = /^(?:sem\.)?faketime_(?:sem|shm)_(?<pid>\d+)$/u;

/** Wall clocks of their own for all replicas, which can be set. */
export class Clocks {
  readonly #library = LIBRARIES.find((file) => existsSync(file));
  #directory = '';

  /** Why there are none; undefined when there are. */
  get lack(): string | undefined {
    return this.#library === undefined ? 'the Debian package faketime is not installed' : undefined;
  }

  /** @param directory for a file of each clock */
  open(directory: string): void {
    mkdirSync(directory, { recursive: true });
    this.#directory = directory;
  }

  /** Variables of the processes of a replica. */
  settingsOf(name: string): Readonly<Record<string, string>> {
    if (this.#library === undefined) return {};
    this.set(name, 0);
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#fileOf(name),
      // Read again each second, instead of each ten.
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** Makes the wall clock of a replica wrong by so many seconds, within a second. */
  set(name: string, seconds: number): void {
    const file = this.#fileOf(name);
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${String(seconds)}\n`);
    renameSync(`${file}.new`, file);
  }

  /** Removes what the library leaves behind of killed processes. */
  close(): void {
    if (this.#library === undefined) return;
    for (const name of readdirSync(SHARED_MEMORY)) {
      const pid = LEFT.exec(name)?.groups?.['pid'];
      if (pid !== undefined && !isRunning(Number(pid)))
        rmSync(path.join(SHARED_MEMORY, name), { force: true });
    }
  }

  #fileOf(name: string): string {
    return path.join(this.#directory, name);
  }
}
