import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '@tenure/process';

/** The file in an instance's directory that says, signed, how far its log reaches. */
export const HEAD_FILE = 'HEAD';

const SEGMENT = /^(\d{8})\.jsonl$/u;
const DIGITS = 8;

/** Where the decision logs of all instances lie below a data directory. */
export const decisionLogDir = (dataDir: string): string => path.join(dataDir, 'decisions');

/** The records of a segment, a line each. */
export const segmentFile = (segment: number): string => numbered(segment, 'jsonl');
/** The file with the signed seal of a closed segment. */
export const sealFile = (segment: number): string => numbered(segment, 'seal');

/** The numbers of the segments in an instance's directory, the oldest first. */
export const segmentsIn = async (dir: string): Promise<readonly number[]> =>
  (await namesIn(dir))
    .map((name) => SEGMENT.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);

/** The directories of instances below a directory of decision logs: those with segments or a head. */
export async function instancesIn(root: string): Promise<readonly string[]> {
  const names = await Promise.all(
    (await namesIn(root)).map(async (name): Promise<readonly string[]> => {
      const files = await namesIn(path.join(root, name)).catch(() => []);
      return files.some((file) => file === HEAD_FILE || SEGMENT.test(file)) ? [name] : [];
    }),
  );
  return names.flat().sort();
}

/** Whether any instance below a directory of decision logs has a record. */
export async function hasRecords(root: string): Promise<boolean> {
  const sizes = await Promise.all(
    (await instancesIn(root)).map((name) => sizesIn(path.join(root, name))),
  );
  return sizes.flat().some((size) => size > 0);
}

const numbered = (segment: number, ending: string): string =>
  `${String(segment).padStart(DIGITS, '0')}.${ending}`;

/** Names in a directory; none when there is no such directory. */
async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

const sizesIn = async (dir: string): Promise<readonly number[]> =>
  Promise.all(
    (await segmentsIn(dir)).map(
      async (segment) => (await stat(path.join(dir, segmentFile(segment)))).size,
    ),
  );
