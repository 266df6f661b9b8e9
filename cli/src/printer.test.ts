import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { errorLines, LinesError } from './lines-error.js';
import { Printer } from './printer.js';

const ACTING = 'a\u0000\u0007\r\u001b[2J\u007f\u009b31m\u202e\u2066\u2028b';
const ESCAPED = String.raw`a\u{0}\u{7}\u{d}\u{1b}[2J\u{7f}\u{9b}31m\u{202e}\u{2066}\u{2028}b`;

const printed = (use: (printer: Printer) => void, isTTY = false): string => {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  use(new Printer(Object.assign(stream, { isTTY })));
  return text;
};

describe('what a command prints', () => {
  it('is a line for each of its lines, whatever is in them', () => {
    expect(
      printed((printer) => {
        printer.line(`owner=${ACTING}\nFORGED`);
        printer.lines(['one', 'two\nFORGED']);
      }),
    ).toBe(`owner=${ESCAPED}\\u{a}FORGED\none\ntwo\\u{a}FORGED\n`);
  });

  it('has as JSON the same value, and no character that acts on a terminal', () => {
    const value = { owner: `${ACTING}\n` };
    const document = printed((printer) => {
      printer.json(value);
    });
    const line = printed((printer) => {
      printer.jsonLine(value);
    });
    expect(document.replaceAll('\n', '')).toMatch(/^[\x20-\x7e]+$/u);
    expect(line).toMatch(/^[\x20-\x7e]+\n$/u);
    expect([JSON.parse(document), JSON.parse(line)]).toEqual([value, value]);
  });

  it('keeps the lines and tabs of our own text, and nothing else', () => {
    expect(
      printed((printer) => {
        printer.text(`Usage:\n\tx ${ACTING}\n`);
      }),
    ).toBe(`Usage:\n\tx ${ESCAPED}\n`);
  });

  it('is a file byte for byte, but on a terminal', () => {
    const text = `\tx := "${ACTING}"\r\n`;
    const file = (printer: Printer): void => {
      printer.file(text);
    };
    expect(printed(file)).toBe(text);
    expect(printed(file, true)).toBe(`\tx := "${ESCAPED}"\n`);
  });

  it('moves the cursor on a terminal only, and only itself', () => {
    const redraw = (printer: Printer): void => {
      printer.redraw(`1 ${ACTING}`);
    };
    expect(printed(redraw)).toBe('');
    expect(printed(redraw, true)).toBe(`\r1 ${ESCAPED}\u001b[K`);
  });

  it('has one line for an error, unless we wrote the lines of it', () => {
    const of = (error: unknown): string =>
      printed((printer) => {
        printer.lines(errorLines(error));
      });
    expect(of(new Error(`Node ${ACTING}\nFORGED could not be found.`))).toBe(
      `tenure: Node ${ESCAPED}\\u{a}FORGED could not be found.\n`,
    );
    expect(of('odd\n')).toBe('tenure: odd\\u{a}\n');
    expect(of(new LinesError(['did not start', `last ${ACTING}\nFORGED`]))).toBe(
      `tenure: did not start\nlast ${ESCAPED}\\u{a}FORGED\n`,
    );
  });
});
