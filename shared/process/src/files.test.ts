import {
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openOnDisk } from './disk-trouble.js';
import { createSecretFile } from './files.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'files-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe('a secret file', () => {
  it('is made for its owner alone, and leaves nothing beside it', () => {
    const file = path.join(directory, 'keys', 'a.key');
    createSecretFile(file, 'secret');
    expect(readFileSync(file, 'utf8')).toBe('secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(path.dirname(file))).toEqual(['a.key']);
  });

  it("takes no other one's place", () => {
    const file = path.join(directory, 'a.key');
    createSecretFile(file, 'first');
    expect(() => {
      createSecretFile(file, 'second');
    }).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(readFileSync(file, 'utf8')).toBe('first');
    expect(readdirSync(directory)).toEqual(['a.key']);
  });

  it('does not exist when the disk is full', () => {
    const file = path.join(directory, 'a.key');
    // Where the content is written first.
    symlinkSync('/dev/full', `${file}.${String(process.pid)}.new`);
    expect(() => {
      createSecretFile(file, 'secret');
    }).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('a file that is opened on a disk', () => {
  it('is named when the disk is full, is read-only or fails', async () => {
    for (const [code, reason] of [
      ['ENOSPC', 'the disk is full'],
      ['EROFS', 'the file system is read-only'],
      ['EACCES', 'permission is denied'],
    ] as const)
      await expect(
        openOnDisk('the log in /data', () => {
          throw Object.assign(new Error('of the system'), { code });
        }),
      ).rejects.toThrow(`the log in /data cannot be used: ${reason}`);
  });

  it('fails as it does when it is something else', async () => {
    const missing = () => {
      linkSync(path.join(directory, 'none'), path.join(directory, 'other'));
    };
    await expect(openOnDisk('the log in /data', missing)).rejects.toThrow('ENOENT');
    expect(await openOnDisk('the log in /data', () => 'open')).toBe('open');
  });
});
