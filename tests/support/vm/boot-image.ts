import { execFile } from 'node:child_process';
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { runDirectory } from '../paths.js';
import { vmFiles } from './host.js';

const run = promisify(execFile);

interface BootImage {
  /** The medium that the machine reports to be booted from. */
  readonly medium: 'cdrom' | 'disk';
  /** Distinguishes this image from every other. */
  readonly nonce: string;
  /** More parameters for the kernel's command line, such as `ipa-api-url=…`. */
  readonly parameters?: readonly string[];
}

/** Makes an image that boots from a CD drive and from a disk alike; where it is. */
export async function bootImage({ medium, nonce, parameters = [] }: BootImage): Promise<string> {
  const directory = await mkdtemp(path.join(runDirectory, 'image-'));
  const content = path.join(directory, 'content');
  const image = path.join(directory, `${medium}.iso`);
  await cp(path.join(vmFiles, 'medium'), content, { recursive: true });
  await writeFile(path.join(content, 'nonce'), nonce);
  const commandLine = [
    'console=ttyS0,115200',
    // Panics and unexpected interrupts reach the console, the rest of the kernel's chatter does not.
    'loglevel=4',
    `tenure.medium=${medium}`,
    `tenure.nonce=${nonce}`,
    ...parameters,
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
