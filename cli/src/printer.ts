import { printable, printableJson, printableJsonLine, printableText } from './printable.js';

/** What a command has to say: a document for programs, lines for people. */
export interface Answer {
  readonly json: boolean | undefined;
  readonly document: unknown;
  /** Only asked for when they are printed. */
  readonly lines: () => readonly string[];
}

/**
 * The only way of a command to standard output or error. Whatever it prints was perhaps written by others: names, ids, error
 * messages. So each way escapes what acts on a terminal, and a line stays one line.
 */
export class Printer {
  readonly #stream: NodeJS.WritableStream;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** Whether a person looks at it, and not a file or a program. */
  get isTerminal(): boolean {
    return 'isTTY' in this.#stream && this.#stream.isTTY === true;
  }

  /** A line, in which no other can begin. */
  line(line: string): void {
    this.lines([line]);
  }

  /** Lines, in none of which another can begin. */
  lines(lines: readonly string[]): void {
    this.#stream.write(lines.map((line) => `${printable(line)}\n`).join(''));
  }

  /** One JSON document, indented. */
  json(document: unknown): void {
    this.#stream.write(printableJson(document));
  }

  /** One JSON document on a line. */
  jsonLine(document: unknown): void {
    this.#stream.write(printableJsonLine(document));
  }

  /** The document with `--json`, otherwise the lines. */
  answer({ json, document, lines }: Answer): void {
    if (json === true) this.json(document);
    else this.lines(lines());
  }

  /** Text of several lines that we wrote ourselves: help, or what a program of ours said. */
  text(text: string): void {
    this.#stream.write(printableText(text));
  }

  /** What is to become a file, byte for byte; on a terminal as `text`. */
  file(text: string): void {
    this.#stream.write(this.isTerminal ? printableText(text) : text);
  }

  /** Writes over the line that a terminal shows; nothing where no person looks. */
  redraw(line: string): void {
    if (this.isTerminal) this.#stream.write(`\r${printable(line)}\u001B[K`);
  }
}
