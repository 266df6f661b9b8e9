import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { runDirectory } from '../paths.js';

const run = promisify(execFile);

/** Bytes of a floppy disk. */
const FLOPPY = 1_474_560;

/** Makes the image of a floppy disk that holds a config drive; where it is. */
export async function configDrive(metaData: object): Promise<string> {
  const directory = await mkdtemp(path.join(runDirectory, 'config-drive-'));
  const content = path.join(directory, 'openstack', 'latest');
  const image = path.join(directory, 'config.img');
  await mkdir(content, { recursive: true });
  await writeFile(path.join(content, 'meta_data.json'), JSON.stringify(metaData));
  await run(
    'xorriso',
    ['-as', 'mkisofs', '-quiet', '-R', '-V', 'config-2', '-o', image, '-graft-points'].concat(
      `/openstack=${path.dirname(content)}`,
    ),
    { timeout: 60_000 },
  );
  await truncate(image, FLOPPY);
  return image;
}
