import path from 'node:path';
import { type Command } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { examples, EXIT_STATUS } from '../examples.js';
import { writeWhole } from '../write-file.js';
import { ImportRefused, problemText } from './faults.js';
import { ACTION_TABLE, readActions, readText } from './files.js';
import { importOslo, type ImportResult } from './import-oslo.js';

interface ImportOsloOptions {
  readonly out?: string;
  readonly json?: boolean;
  readonly allowUnknown?: boolean;
  readonly actions: string;
}

/** Adds `import-oslo` to `tenure policy`. */
export function addImportOslo(policy: Command, context: CommandContext): void {
  policy
    .command('import-oslo')
    .description('make an overlay in Rego of a policy.yaml of Ironic')
    .argument('<file>', 'oslo.policy file, in YAML or JSON')
    .option('--out <file>', 'file to write; standard output when absent')
    .option('--json', 'print the imported rules as JSON')
    .option('--allow-unknown', 'leave out rules that are no action and that nothing refers to')
    .option('--actions <file>', 'the action table', ACTION_TABLE)
    .addHelpText(
      'after',
      examples(
        'tenure policy import-oslo policy.yaml --out mine.rego',
        'tenure policy import-oslo policy.yaml --json',
      ) + EXIT_STATUS,
    )
    .action((file: string, options: ImportOsloOptions) => runImportOslo(file, options, context));
}

/**
 * `tenure policy import-oslo`: makes an overlay in Rego of an oslo.policy file. The overlay, or with `json` a report,
 * goes to standard output, warnings go to standard error.
 * @throws ImportRefused when anything of the file cannot be carried over; nothing is written then
 */
async function runImportOslo(
  file: string,
  options: ImportOsloOptions,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  const name = path.basename(file);
  const json = options.json === true;
  const actions = await readActions(options.actions);
  try {
    const text = await readText(file);
    const result = importOslo({
      file: name,
      text,
      actions,
      allowUnknown: options.allowUnknown === true,
    });
    for (const warning of result.warnings) stderr.line(`warning: ${problemText(name, warning)}`);
    if (options.out !== undefined) await writeWhole(options.out, result.rego);
    if (json) stdout.json({ file: name, ...result });
    else if (options.out === undefined) stdout.file(result.rego);
    else stdout.line(summary(options.out, result));
  } catch (error) {
    if (json && error instanceof ImportRefused) stdout.json({ file: name, errors: error.problems });
    throw error;
  }
}

const summary = (out: string, { overridden, rules }: ImportResult): string =>
  `${out}: ${overridden.length} actions, ${rules.length - overridden.length} helper rules`;
