import { LinesError } from '../../../terminal/lines-error.js';

/** Where something is wrong and why. `rule` is absent when it is the file itself; `line` counts from 1. */
export interface Problem {
  readonly line: number;
  readonly rule?: string;
  readonly why: string;
}

/** One line for the operator: file, line, rule and why. */
export const problemText = (file: string, { line, rule, why }: Problem): string =>
  `${file}, line ${line}${rule === undefined ? '' : `, rule ${rule}`}: ${why}`;

/** A file that cannot be carried over; the message names every problem of it, one a line. */
export class ImportRefused extends LinesError {
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    super(problems.map((problem) => problemText(file, problem)));
    this.name = 'ImportRefused';
    this.problems = problems;
  }
}

/** A check that has no meaning in Tenure, or none at all. The reader of the rule adds file and line. */
export class CheckRefused extends Error {
  override readonly name = 'CheckRefused';
}
