/** A failure that takes several lines to say. Of any other error the message is one line, whatever is in it. */
export class LinesError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'LinesError';
    this.lines = lines;
  }
}

/** What an error says to a person, a line each. */
export const errorLines = (error: unknown): readonly string[] => {
  const [first = '', ...others] =
    error instanceof LinesError
      ? error.lines
      : [error instanceof Error ? error.message : String(error)];
  return [`tenure: ${first}`, ...others];
};
