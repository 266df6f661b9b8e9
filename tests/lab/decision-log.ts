import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { root } from '../support/paths.js';
import { ownDirectory } from './disks.js';
import { type World } from './world.js';

const DECISION = /"decision_id":"(?<id>[0-9a-f-]{36})"/u;

/** Returns the output of the check of each replica's decision log; null when the log is whole. */
export async function decisionLogFaults({ cluster }: World): Promise<string | null> {
  const { dataDir, workloads } = cluster;
  const cli = path.join(root, 'cli', 'bin', 'tenure.js');
  const found = await Promise.all(
    workloads.pdp.pods.map(({ name }) =>
      promisify(execFile)(process.execPath, [
        cli,
        ...['decisions', 'verify', '--data-dir', ownDirectory(dataDir, name)],
      ]).then(
        () => [],
        (error: unknown) => [String(error)],
      ),
    ),
  );
  return found.flat().join('; ') || null;
}

/** The ids of all decisions in the logs of all replicas. */
export async function loggedDecisions({ cluster }: World): Promise<ReadonlySet<string>> {
  const { dataDir, workloads } = cluster;
  const found = new Set<string>();
  for (const { name } of workloads.pdp.pods) {
    const directory = path.join(ownDirectory(dataDir, name), 'decisions');
    const files = await readdir(directory, { recursive: true });
    for (const file of files.filter((one) => one.endsWith('.jsonl')))
      for (const id of await decisionsIn(path.join(directory, file))) found.add(id);
  }
  return found;
}

async function decisionsIn(file: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const id = DECISION.exec(line)?.groups?.['id'];
    if (id !== undefined) found.push(id);
  }
  return found;
}
