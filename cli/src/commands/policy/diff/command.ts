import { PolicyRefused } from '@tenure/policy';
import { materialOf, readBundleAt } from '@tenure/policy/runtime';
import { type Command, Option } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { examples, EXIT_STATUS } from '../examples.js';
import { openPolicy } from '../policy-options.js';
import { jobsOption, progressOn } from '../progress.js';
import { differ } from './differ.js';
import { gapOf } from './gaps.js';
import { type Model, modelOf, underOwnSwitches } from './model.js';
import { reachOf } from './reach.js';
import {
  type DiffReport,
  reportDocument,
  reportLines,
  reportMarkdown,
  type Side,
  switchDefaults,
} from './report.js';

interface DiffOptions {
  readonly oldOverlay: readonly string[];
  readonly newOverlay: readonly string[];
  readonly action: readonly string[];
  readonly ownSwitches?: true;
  readonly jobs: number;
  readonly format: 'text' | 'markdown';
  readonly json?: true;
}

const FOUND = 1;

/**
 * Adds `tenure policy diff`: the callers that gain and lose, by putting every question to both policies. It throws ExitStatus 1
 * when anything changed, PolicyRefused or PolicyFailure when one of them cannot be evaluated.
 */
export function addDiffCommand(policy: Command, context: CommandContext): void {
  policy
    .command('diff')
    .description(
      'show who gains and who loses between two policies, by putting every question to both',
    )
    .argument('<old>', 'bundle (.tar.gz), or a directory that holds one')
    .argument('<new>', 'the same')
    .addOption(overlayOf('old'))
    .addOption(overlayOf('new'))
    .option('--action <name...>', 'only these actions', [])
    .option('--own-switches', 'only under the switches of NEW, not in every combination')
    .addOption(jobsOption())
    .addOption(
      new Option('--format <format>', 'how to write it')
        .choices(['text', 'markdown'])
        .default('text'),
    )
    .option('--json', 'one JSON document: {gained, lost, other, complete, model, …}')
    .addHelpText(
      'after',
      examples(
        'tenure policy diff live.tar.gz new.tar.gz',
        'tenure policy diff policies-rego policies-rego --new-overlay mine.yaml --format markdown',
      ) + EXIT_STATUS,
    )
    .action((older: string, newer: string, options: DiffOptions) =>
      diff([older, newer], options, context),
    );
}

const overlayOf = (side: 'old' | 'new'): Option =>
  new Option(`--${side}-overlay <file>`, `overlay on ${side.toUpperCase()}; repeat for several`)
    .argParser(append)
    .default([]);

async function diff(
  [oldBundle, newBundle]: readonly [string, string],
  options: DiffOptions,
  context: CommandContext,
): Promise<void> {
  const older = await open(oldBundle, options.oldOverlay);
  const newer = await open(newBundle, options.newOverlay);
  const policies = [older.side.policy, newer.side.policy] as const;
  const reached = options.action.length > 0 ? undefined : reachOf(policies);
  const actions = reached ?? options.action;
  const whole = modelOf(...policies, actions);
  checked(whole, options.action);
  const model = options.ownSwitches === true ? underOwnSwitches(whole) : whole;
  const order = { policies, model, actions, jobs: options.jobs };
  const report: DiffReport = {
    sides: [older.side, newer.side],
    model,
    reached,
    comparison: await differ(order, progressOn(context.stderr)),
    gaps: gapsOf(options, [older.gap, newer.gap]),
  };
  context.stdout.answer({
    json: options.json,
    document: reportDocument(report),
    lines: () => linesOf(report, options),
  });
  if (report.comparison.changes.length > 0 || switchDefaults(report.sides).length > 0)
    throw new ExitStatus(FOUND);
}

const append = (value: string, all: readonly string[]): readonly string[] => [...all, value];

async function open(
  bundle: string,
  overlays: readonly string[],
): Promise<{ readonly side: Side; readonly gap: string | undefined }> {
  const entries = await readBundleAt(bundle);
  const policy = await openPolicy(await materialOf(entries, overlays));
  return { side: { bundle, overlays, policy }, gap: gapOf(bundle, entries) };
}

function checked(model: Model, actions: readonly string[]): void {
  const stranger = actions.find((action) => !Object.hasOwn(model.tables.actions, action));
  if (stranger !== undefined) throw new PolicyRefused(`neither policy has an action ${stranger}`);
}

const gapsOf = (
  { action, ownSwitches }: DiffOptions,
  found: readonly (string | undefined)[],
): readonly string[] =>
  [
    action.length > 0 ? 'only some actions were compared' : undefined,
    ownSwitches === true ? 'only the switches of the new bundle were tried' : undefined,
    ...found,
  ].filter((gap) => gap !== undefined);

const linesOf = (report: DiffReport, { format }: DiffOptions): readonly string[] =>
  format === 'markdown' ? reportMarkdown(report) : reportLines(report);
