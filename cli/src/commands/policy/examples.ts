/** The exit statuses, for the help of every command of `tenure policy`. */
export const EXIT_STATUS = '\nExit status: 0 clean, 1 something was found, 2 could not run.';

/** Examples below the help of a command, one a line. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
