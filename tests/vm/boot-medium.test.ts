import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { bootOverlay } from '../../services/conductor/src/domain/boot-iso/boot-overlay.js';

// The medium of a boot, made from an image of the tool with which such images are made, and read back with the same tool.

const run = promisify(execFile);

const GRUB = 'menuentry "agent" {\n  linux /vmlinuz quiet\n}\n';
const ISOLINUX = 'DEFAULT agent\nLABEL agent\n  KERNEL /vmlinuz\n  APPEND initrd=/initrd\n';
const WORD = 'ipa-agent-token=secret';

async function madeWith(...args: readonly string[]): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tenure-medium-'));
  const content = path.join(directory, 'content');
  await mkdir(path.join(content, 'boot', 'grub'), { recursive: true });
  await mkdir(path.join(content, 'isolinux'));
  await writeFile(path.join(content, 'boot', 'grub', 'grub.cfg'), GRUB);
  await writeFile(path.join(content, 'isolinux', 'isolinux.cfg'), ISOLINUX);
  await writeFile(path.join(content, 'A file with a long name, which no plain tree has.text'), 'x');
  await writeFile(path.join(content, 'vmlinuz'), Buffer.alloc(1_000_000, 'kernel'));
  const image = path.join(directory, 'image.iso');
  await run('xorriso', ['-as', 'mkisofs', '-quiet', '-V', 'AGENT', ...args, '-o', image, content]);
  const bytes = await readFile(image);
  const made = await bootOverlay(
    {
      size: bytes.length,
      read: (at, length) => Promise.resolve(bytes.subarray(at, at + length)),
    },
    [WORD],
  );
  await writeFile(path.join(directory, 'medium.iso'), await made.read(0, made.size));
  return directory;
}

/** A file of the medium, as xorriso reads it. */
async function extracted(
  directory: string,
  file: string,
  ...args: readonly string[]
): Promise<string> {
  const target = path.join(await mkdtemp(path.join(directory, 'out-')), 'file');
  const medium = path.join(directory, 'medium.iso');
  await run('xorriso', [...args, '-osirrox', 'on', '-indev', medium, '-extract', file, target]);
  return readFile(target, 'latin1');
}

describe('the medium of a boot', () => {
  it.each([
    [['-R'], []],
    [['-R', '-J', '-joliet-long'], []],
    [
      ['-R', '-J', '-joliet-long'],
      ['-read_fs', 'norock', '-joliet', 'on'],
    ],
    [['-R', '-partition_offset', '16'], []],
  ])('of an image that was made with %j is read with %j', async (making, reading) => {
    const directory = await madeWith(...making);
    expect(await extracted(directory, '/boot/grub/grub.cfg', ...reading)).toBe(
      `menuentry "agent" {\n  linux /vmlinuz quiet ${WORD}\n}\n`,
    );
    expect(await extracted(directory, '/isolinux/isolinux.cfg', ...reading)).toBe(
      `DEFAULT agent\nLABEL agent\n  KERNEL /vmlinuz\n  APPEND initrd=/initrd ${WORD}\n`,
    );
    const kernel = await extracted(directory, '/vmlinuz', ...reading);
    expect(kernel === Buffer.alloc(1_000_000, 'kernel').toString('latin1')).toBe(true);
  });
});
