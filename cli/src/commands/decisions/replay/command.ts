import { readFileSync } from 'node:fs';
import { oldestDecisions } from '@tenure/decision-log';
import { type DecisionFilter, matchesFilter, mayMatch } from '@tenure/policy';
import { type Command, Option } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { counted } from '../../../terminal/counted.js';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { type Printer } from '../../../terminal/printer.js';
import { bundleOption, overlayOption, type PolicyOptions } from '../../policy/policy-options.js';
import { addLogOptions, logDirOf, type LogOptions, momentOption } from '../options.js';
import { type QueriedPolicy, loadQueriedPolicy } from '../queried-policy.js';
import { addFilterOptions } from '../search.js';
import { approvalsOf } from './approvals.js';
import { createGroups, type Group } from './groups.js';
import { replayed } from './replay.js';
import { type ReplayReport, replayLines } from './text.js';

type FailOn = 'newly-allowed' | 'newly-denied' | 'any';

interface ReplayOptions extends LogOptions, PolicyOptions, DecisionFilter {
  readonly since?: string;
  readonly failOn: FailOn;
  readonly approvals?: string;
}

const FOUND = 1;
const PROGRESS_EVERY = 5000;

/** `tenure decisions replay`: the answers that another policy would have given to the logged questions. */
export function addReplayCommand(decisions: Command, context: CommandContext): void {
  addFilterOptions(
    addLogOptions(
      decisions
        .command('replay')
        .description(
          'put logged questions to a policy again; 0 no difference, 1 differences that are not approved, 2 could not run',
        ),
      context.env,
    ),
  )
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .addOption(momentOption('--since <when>', 'only decisions from then on'))
    .addOption(momentOption('--until <when>', 'only decisions until then'))
    .addOption(
      new Option('--fail-on <what>', 'which differences make it fail')
        .choices(['newly-allowed', 'newly-denied', 'any'])
        .default('any'),
    )
    .option(
      '--approvals <file>',
      'JSON list of {action, tenant, persona, grant, reason}: differences that somebody has agreed to',
    )
    .addHelpText(
      'after',
      '\nSwitches are those of the environment, as for the decision point.\nExample: nobody may gain by tomorrow’s policy what was not agreed to\n  tenure decisions replay --bundle new.tar.gz --since 7d --fail-on newly-allowed --approvals approvals.json',
    )
    .action((options: ReplayOptions) => replay(options, context));
}

async function replay(options: ReplayOptions, context: CommandContext): Promise<void> {
  const { approvals, failOn } = options;
  const isApproved = approvalsOf(
    approvals === undefined ? [] : JSON.parse(readFileSync(approvals, 'utf8')),
  );
  const policy = await loadQueriedPolicy(options, context.env);
  const found = await run(options, policy, context);
  const unapproved = failing(failOn, found).filter((group) => !isApproved(group));
  const report: ReplayReport = { ...found, unapproved };
  context.stdout.answer({
    json: options.json,
    document: report,
    lines: () => replayLines(report),
  });
  if (unapproved.length > 0) throw new ExitStatus(FOUND);
}

async function run(
  options: ReplayOptions,
  policy: QueriedPolicy,
  { stderr }: CommandContext,
): Promise<Omit<ReplayReport, 'unapproved'>> {
  const groups = createGroups();
  const progress = createProgress(stderr);
  const count = { replayed: 0, skipped: 0 };
  const { since } = options;
  const reading = oldestDecisions(logDirOf(options), {
    mayMatch: mayMatch(options),
    ...(since !== undefined && { since }),
  });
  for await (const decision of reading) {
    if (!matchesFilter(decision, options)) continue;
    const again = replayed(decision, policy);
    if (again === undefined) count.skipped += 1;
    else {
      count.replayed += again.questions;
      again.differences.forEach(groups.add);
    }
    progress.at(count.replayed);
  }
  progress.end();
  return {
    revision: policy.revision,
    ...count,
    newly_allowed: groups.of('newly_allowed'),
    newly_denied: groups.of('newly_denied'),
    changed: groups.of('changed'),
  };
}

const failing = (
  failOn: FailOn,
  { newly_allowed, newly_denied, changed }: Omit<ReplayReport, 'unapproved'>,
): readonly Group[] =>
  ({
    'newly-allowed': newly_allowed,
    'newly-denied': newly_denied,
    any: [...newly_allowed, ...newly_denied, ...changed],
  })[failOn];

const createProgress = (stderr: Printer) => ({
  at: (questions: number): void => {
    if (questions % PROGRESS_EVERY === 0) stderr.redraw(`${counted(questions)} questions`);
  },
  end: (): void => {
    stderr.redraw('');
  },
});
