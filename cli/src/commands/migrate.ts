import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type CommandContext } from '../terminal/command-context.js';
import { ExitStatus } from '../terminal/exit-status.js';
import { migrationPlan } from './up/layout.js';

interface MigrateOptions {
  readonly check?: boolean;
  readonly restored?: boolean;
  readonly empty?: boolean;
  readonly json?: boolean;
  readonly wait: string;
  readonly dataDir: string;
}

const FAILED = 2;

/**
 * `tenure migrate`: runs the inventory's own program, because only the inventory accesses its store.
 * @throws ExitStatus with that of the program, unless it is 0
 */
export async function migrate(options: MigrateOptions, context: CommandContext): Promise<void> {
  const { script, env } = migrationPlan(context.env, path.resolve(options.dataDir));
  const args = [
    `--wait=${options.wait}`,
    ...(options.check === true ? ['--check'] : []),
    ...(options.restored === true ? ['--restored'] : []),
    ...(options.empty === true ? ['--empty'] : []),
    ...(options.json === true ? ['--json'] : []),
  ];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, ...args],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    context.stdout.text(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    context.stderr.text(text);
  });
  const [status] = (await once(child, 'close')) as readonly (number | null)[]; // what the event says
  if (status !== 0) throw new ExitStatus(status ?? FAILED);
}
