import { type Command } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { examples, EXIT_STATUS } from '../examples.js';
import { bundleOption, loadPolicy, overlayOption, type PolicyOptions } from '../policy-options.js';
import { jobsOption, progressOn } from '../progress.js';
import { assignmentOf, ownSetting } from './examine.js';
import { reportDocument, reportLines } from './report.js';
import { examineWith } from './threads.js';

interface VerifyOptions extends PolicyOptions {
  readonly action: readonly string[];
  readonly ownSwitches?: true;
  readonly jobs: number;
  readonly json?: true;
}

const FOUND = 1;

/**
 * Adds `tenure policy verify`: checks the answers to every question against the invariants. It throws ExitStatus 1 when
 * one is broken, PolicyRefused or PolicyFailure when the policy cannot be evaluated.
 */
export function addVerifyCommand(policy: Command, context: CommandContext): void {
  policy
    .command('verify')
    .description(
      'put every question of the model to the policy, and check the answers against the invariants; 0 clean, 1 broken, 2 could not run',
    )
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .option('--action <name...>', 'only these actions', [])
    .option('--own-switches', 'only under the switches of the bundle, not in every combination')
    .addOption(jobsOption())
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      examples(
        'tenure policy verify',
        'tenure policy verify --overlay mine.yaml --own-switches --json',
      ) + EXIT_STATUS,
    )
    .action((options: VerifyOptions) => verify(options, context));
}

async function verify(options: VerifyOptions, context: CommandContext): Promise<void> {
  const policy = await loadPolicy(options);
  const assignment = assignmentOf(policy, options.action, options.ownSwitches === true);
  const progress = progressOn(context.stderr);
  const examination = await examineWith(policy, assignment, options.jobs, progress);
  const { bundle, overlay: overlays } = options;
  const subject = { bundle, overlays, revision: policy.revision, defaults: ownSetting(policy) };
  context.stdout.answer({
    json: options.json,
    document: reportDocument(subject, examination),
    lines: () => reportLines(subject, examination),
  });
  if (examination.findings.some(({ broken }) => broken > 0)) throw new ExitStatus(FOUND);
}
