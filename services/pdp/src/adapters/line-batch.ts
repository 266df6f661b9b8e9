/** The destination of whole batches: that of pino, shared with the logger of the process so that lines do not interleave. */
export interface TextSink {
  readonly write: (text: string) => unknown;
}

/** Takes lines, each with its newline, and passes them on many at a time. */
export interface LineBatch {
  readonly add: (line: string) => void;
  /** Passes on what has been taken so far. */
  readonly flush: () => void;
}

const BATCH_CHARACTERS = 64 * 1024;

/** A batch that passes lines on when it holds 64 Ki characters; its owner flushes it in between and at the end. */
export function createLineBatch(sink: TextSink): LineBatch {
  let lines: string[] = [];
  let characters = 0;
  const flush = (): void => {
    if (lines.length === 0) return;
    const text = lines.join('');
    lines = [];
    characters = 0;
    sink.write(text);
  };
  return {
    add: (line) => {
      lines.push(line);
      characters += line.length;
      if (characters >= BATCH_CHARACTERS) flush();
    },
    flush,
  };
}
