import { memberOf } from '@tenure/policy';
import { type Command } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { ExitStatus } from '../../../terminal/exit-status.js';
import {
  type AdminAnswer,
  type AdminOptions,
  askAdmin,
  problemIn,
  tokenOption,
  urlOption,
} from './admin-client.js';
import { isHealthy, statusLines } from './status-text.js';

const FOUND = 1;
const OK = 200;
/** Statuses with an outcome: the decision point carried the order out, or refused the policy that it found. */
const HANDLED = new Set([OK, 404, 422, 502]);

/** Whether the other replicas were notified. */
const PEERS: ReadonlyMap<unknown, string> = new Map([
  ['notified', 'the other decision points are notified'],
  ['not notified', 'the other decision points could not be notified yet; they will be'],
]);

/**
 * Adds the commands for a running decision point: status, rollback and reload. They throw ExitStatus 1
 * when it is degraded or refuses, Error when it does not answer.
 */
export function addServingCommands(policy: Command, context: CommandContext): void {
  const command = (name: string, about: string): Command =>
    policy
      .command(name)
      .description(`${about}; 0 all is well, 1 not, 2 no answer`)
      .addOption(urlOption(context.env))
      .addOption(tokenOption(context.env))
      .option('--json', 'one JSON document');
  command('status', 'show the policy in service, its source and the history of activations').action(
    (options: AdminOptions) => showStatus(options, context),
  );
  command('rollback', 'activate an earlier policy again, until the next reload')
    .argument('<digest>', 'its revision, from the history of `tenure policy status`')
    .action((revision: string, options: AdminOptions) =>
      sendOrder(options, context, () =>
        askAdmin(options, ['POST', '/v1/policy/rollback'], { revision }),
      ),
    );
  command('reload', 'load the policy of the source again, also after a rollback').action(
    (options: AdminOptions) =>
      sendOrder(options, context, () => askAdmin(options, ['POST', '/v1/policy/bundle/reload'])),
  );
}

async function showStatus(options: AdminOptions, context: CommandContext): Promise<void> {
  const answer = await askAdmin(options, ['GET', '/v1/policy/status']);
  if (answer.status !== OK) throw new Error(problemIn(answer));
  write(options, context, answer.body, statusLines(answer.body));
  if (!isHealthy(answer.body)) throw new ExitStatus(FOUND);
}

async function sendOrder(
  options: AdminOptions,
  context: CommandContext,
  ask: () => Promise<AdminAnswer>,
): Promise<void> {
  const answer = await ask();
  const outcome = memberOf(answer.body, 'outcome');
  if (!HANDLED.has(answer.status) || typeof outcome !== 'string')
    throw new Error(problemIn(answer));
  const reason = memberOf(answer.body, 'reason');
  const revision = String(memberOf(answer.body, 'revision'));
  const because = typeof reason === 'string' ? `: ${reason}` : '';
  const peers = PEERS.get(memberOf(answer.body, 'peers'));
  write(options, context, answer.body, [
    `${outcome}${because}`,
    `in service: ${revision}`,
    ...(peers === undefined ? [] : [peers]),
  ]);
  if (answer.status !== OK) throw new ExitStatus(FOUND);
}

function write(
  { json }: AdminOptions,
  context: CommandContext,
  body: unknown,
  lines: readonly string[],
): void {
  context.stdout.answer({ json, document: body, lines: () => lines });
}
