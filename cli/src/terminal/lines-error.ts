/** An error whose message has several lines. The message of any other error is printed as one line, whatever it contains. */
export class LinesError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'LinesError';
    this.lines = lines;
  }
}

/** The lines that are printed for an error. */
export function errorLines(error: unknown): readonly string[] {
  const [first = '', ...others] =
    error instanceof LinesError
      ? error.lines
      : [error instanceof Error ? error.message : String(error)];
  return [`tenure: ${first}`, ...others];
}
