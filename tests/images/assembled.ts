import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cleanEnvironment, root } from '../support/paths.js';
import { parts } from '../support/tenure.js';

export const PARTS = [...parts, 'cli'] as const;
type ImagePart = (typeof PARTS)[number];

/** Assembles the contents of the images with the script that the Containerfile uses, in a folder that has no `node_modules` above it. */
export interface Assembled {
  readonly directory: string;
  /** The folder that is `/app` in the image of a part. */
  readonly app: (part: ImagePart) => string;
  readonly remove: () => void;
}

/** A script of the images, in a process of its own. */
export function runScript(name: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [path.join(root, 'scripts/images', name), ...args], {
    env: cleanEnvironment(),
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export function assembleAll(): Assembled {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenure-images-'));
  runScript('assemble.mjs', directory, ...PARTS);
  return {
    directory,
    app: (part) => path.join(directory, part, 'app'),
    remove: () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
