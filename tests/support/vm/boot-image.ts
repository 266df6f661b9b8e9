import { execFile } from 'node:child_process';
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { runDirectory } from '../paths.js';
import { vmFiles } from './host.js';

const run = promisify(execFile);

interface BootImage {
  /** What the machine says it was booted from. */
  readonly medium: 'cdrom' | 'disk';
  /** Tells this image from every other. */
  readonly nonce: string;
  /** More words for the kernel's command line, such as `ipa-api-url=…`. */
  readonly words?: readonly string[];
}

/** Makes an image that boots from a CD drive and from a disk alike; where it is. */
export async function bootImage({ medium, nonce, words = [] }: BootImage): Promise<string> {
  const directory = await mkdtemp(path.join(runDirectory, 'image-'));
  const content = path.join(directory, 'content');
  const image = path.join(directory, `${medium}.iso`);
  await cp(path.join(vmFiles, 'medium'), content, { recursive: true });
  await writeFile(path.join(content, 'nonce'), nonce);
  const commandLine = [
    'console=ttyS0,115200',
    // Panics and interrupts that nobody asked for reach the console, the rest of the kernel's chatter does not.
    'loglevel=4',
    `tenure.medium=${medium}`,
    `tenure.nonce=${nonce}`,
    ...words,
  ].join(' ');
  await writeFile(
    path.join(content, 'isolinux.cfg'),
    `DEFAULT linux\nPROMPT 0\nLABEL linux\n  KERNEL vmlinuz\n  INITRD initrd\n  APPEND ${commandLine}\n`,
  );
  const boot = ['-b', 'isolinux.bin', '-c', 'boot.cat', '-no-emul-boot', '-boot-load-size', '4'];
  const hybrid = ['-boot-info-table', '-isohybrid-mbr', path.join(vmFiles, 'isohdpfx.bin')];
  await run(
    'xorriso',
    ['-as', 'mkisofs', '-quiet', '-R', '-V', 'TENURE', ...boot, ...hybrid, '-o', image, content],
    { timeout: 60_000 },
  );
  return image;
}
