import { type SwitchValues } from '@tenure/policy';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Surroundings } from '../../../surroundings.js';
import { bundleOption, loadPolicy, overlayOption, type PolicyOptions } from '../policy-options.js';
import { FORMATS } from './formats.js';
import { matrixOf } from './matrix.js';

interface MatrixOptions extends PolicyOptions {
  readonly format: string;
  readonly switch: SwitchValues;
}

const WORDS: Readonly<Record<string, boolean>> = { true: true, on: true, false: false, off: false };

const withSwitch = (text: string, all: SwitchValues): SwitchValues => {
  const [name = '', value, ...rest] = text.split('=');
  if (name === '' || value === undefined || value === '' || rest.length > 0)
    throw new InvalidArgumentError('say name=value, for example enforce_new_defaults=false');
  return { ...all, [name]: Object.hasOwn(WORDS, value) ? WORDS[value] : value };
};

/**
 * `tenure policy matrix`: who may do what, as the policy says it.
 * @throws PolicyRefused or PolicyFailure when the policy cannot be asked
 */
const printMatrix = async (options: MatrixOptions, around: Surroundings): Promise<void> => {
  const policy = await loadPolicy(options);
  const matrix = await matrixOf(policy, options.switch);
  const format = FORMATS[options.format];
  if (format === undefined) throw new Error(`no format ${options.format}`);
  around.stdout.write(`${format(matrix)}\n`);
};

export const addMatrixCommand = (policy: Command, around: Surroundings): void => {
  policy
    .command('matrix')
    .description('show who may do what: every action for every kind of caller')
    .addOption(bundleOption(around.env))
    .addOption(overlayOption(around.env))
    .addOption(
      new Option('--switch <name=value>', 'set a switch; repeat for several')
        .argParser(withSwitch)
        .default({}, 'as in the bundle'),
    )
    .addOption(
      new Option('--format <format>', 'how to write it')
        .choices(Object.keys(FORMATS))
        .default('table'),
    )
    .action((options: MatrixOptions) => printMatrix(options, around));
};
