import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { errorLines, LinesError } from './lines-error.js';
import { Printer } from './printer.js';

const ACTING = 'a\u0000\u0007\r\u001b[2J\u007f\u009b31m\u202e\u2066\u2028b';
const ESCAPED = String.raw`a\u{0}\u{7}\u{d}\u{1b}[2J\u{7f}\u{9b}31m\u{202e}\u{2066}\u{2028}b`;

function printed(use: (printer: Printer) => void, isTTY = false): string {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  use(new Printer(Object.assign(stream, { isTTY })));
  return text;
}

describe('the printer of a command', () => {
  it('prints one line for each line, whatever it contains', () => {
    expect(
      printed((printer) => {
        printer.line(`owner=${ACTING}\nFORGED`);
        printer.lines(['one', 'two\nFORGED']);
      }),
    ).toBe(`owner=${ESCAPED}\\u{a}FORGED\none\ntwo\\u{a}FORGED\n`);
  });

  it('prints JSON with the same value and without terminal control characters', () => {
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

  it('keeps only line breaks and tabs of our own text', () => {
    expect(
      printed((printer) => {
        printer.text(`Usage:\n\tx ${ACTING}\n`);
      }),
    ).toBe(`Usage:\n\tx ${ESCAPED}\n`);
  });

  it('writes a file byte for byte, except to a terminal', () => {
    const text = `\tx := "${ACTING}"\r\n`;
    const file = (printer: Printer): void => {
      printer.file(text);
    };
    expect(printed(file)).toBe(text);
    expect(printed(file, true)).toBe(`\tx := "${ESCAPED}"\n`);
  });

  it('moves the cursor only on a terminal, and only with its own escapes', () => {
    const redraw = (printer: Printer): void => {
      printer.redraw(`1 ${ACTING}`);
    };
    expect(printed(redraw)).toBe('');
    expect(printed(redraw, true)).toBe(`\r1 ${ESCAPED}\u001b[K`);
  });

  it('prints one line for an error, except for a LinesError', () => {
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
