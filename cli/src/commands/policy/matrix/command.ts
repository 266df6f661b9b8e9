import { type SwitchValues } from '@tenure/policy';
import { type Command, Option } from 'commander';
import { type Surroundings } from '../../../surroundings.js';
import {
  bundleOption,
  loadPolicy,
  overlayOption,
  type PolicyOptions,
  switchOption,
} from '../policy-options.js';
import { FORMATS } from './formats.js';
import { matrixOf } from './matrix.js';

interface MatrixOptions extends PolicyOptions {
  readonly format: string;
  readonly switch: SwitchValues;
}

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
    .addOption(switchOption())
    .addOption(
      new Option('--format <format>', 'how to write it')
        .choices(Object.keys(FORMATS))
        .default('table'),
    )
    .action((options: MatrixOptions) => printMatrix(options, around));
};
