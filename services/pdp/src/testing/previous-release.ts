import { readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(
  import.meta.dirname,
  ...['..', '..', '..', '..', 'tests', 'fixtures', 'decision-point-1'],
);

/** A file of the data directory, as the previous release wrote it. */
export const previousRelease = (name: 'state.json' | 'retention.json'): string =>
  readFileSync(path.join(FOLDER, name), 'utf8');
