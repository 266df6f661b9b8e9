import { matrixOf } from '@tenure/policy';
import { type Command, Option } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { examples, EXIT_STATUS } from '../examples.js';
import {
  type AskOptions,
  bundleOption,
  loadPolicy,
  overlayOption,
  switchOption,
} from '../policy-options.js';
import { FORMATS, matrixDocument } from './formats.js';

interface MatrixOptions extends AskOptions {
  readonly format: string;
}

export function addMatrixCommand(policy: Command, context: CommandContext): void {
  policy
    .command('matrix')
    .description('show who may do what: every action for every kind of caller')
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .addOption(switchOption())
    .addOption(
      new Option('--format <format>', 'how to write it')
        .choices(Object.keys(FORMATS))
        .default('table'),
    )
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      examples(
        'tenure policy matrix --overlay mine.yaml',
        'tenure policy matrix --switch enforce_new_defaults=false --format html > matrix.html',
      ) + EXIT_STATUS,
    )
    .action((options: MatrixOptions) => printMatrix(options, context));
}

/**
 * `tenure policy matrix`: every action for every kind of caller.
 * @throws PolicyRefused or PolicyFailure when the policy cannot be evaluated
 */
async function printMatrix(options: MatrixOptions, context: CommandContext): Promise<void> {
  const policy = await loadPolicy(options);
  const matrix = await matrixOf(policy, options.switch);
  const format = FORMATS[options.format];
  if (format === undefined) throw new Error(`no format ${options.format}`);
  if (options.json === true)
    context.stdout.json({ revision: policy.revision, ...matrixDocument(matrix) });
  else context.stdout.file(`${format(matrix)}\n`);
}
