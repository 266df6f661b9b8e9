import { printable, printableJson, printableJsonLine, printableText } from './printable.js';

/** The output of a command: a document for programs, lines for people. */
export interface Answer {
  readonly json: boolean | undefined;
  readonly document: unknown;
  /** Called only when the lines are printed. */
  readonly lines: () => readonly string[];
}

/**
 * The only way of a command to standard output or error. Names, ids and error messages may come from other users, so every
 * method escapes terminal control characters, and a line stays one line.
 */
export class Printer {
  readonly #stream: NodeJS.WritableStream;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** Whether the output is a terminal, not a file or a pipe. */
  get isTerminal(): boolean {
    return 'isTTY' in this.#stream && this.#stream.isTTY === true;
  }

  /** A single line: line breaks in it are escaped. */
  line(line: string): void {
    this.lines([line]);
  }

  /** Lines: line breaks within each are escaped. */
  lines(lines: readonly string[]): void {
    this.#stream.write(lines.map((line) => `${printable(line)}\n`).join(''));
  }

  /** One JSON document, indented. */
  json(document: unknown): void {
    this.#stream.write(printableJson(document));
  }

  /** One JSON document on one line. */
  jsonLine(document: unknown): void {
    this.#stream.write(printableJsonLine(document));
  }

  /** The document with `--json`, else the lines. */
  answer({ json, document, lines }: Answer): void {
    if (json === true) this.json(document);
    else this.lines(lines());
  }

  /** Text of several lines that Tenure itself wrote: help, or the output of one of its programs. */
  text(text: string): void {
    this.#stream.write(printableText(text));
  }

  /** Content of a file, byte for byte; on a terminal like `text`. */
  file(text: string): void {
    this.#stream.write(this.isTerminal ? printableText(text) : text);
  }

  /** Overwrites the current line of a terminal; does nothing on any other output. */
  redraw(line: string): void {
    if (this.isTerminal) this.#stream.write(`\r${printable(line)}\u001B[K`);
  }
}
