import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';

const ROOT = path.join(import.meta.dirname, '..', '..');
const OPTIONS = JSON.parse(readFileSync(path.join(ROOT, '.oxfmtrc.json'), 'utf8'));
/** Lines of documentation end at 120 characters. The code in a page keeps the width that `make format` gives it. */
const WRAP = { ...OPTIONS, printWidth: 120, proseWrap: 'always' };

const formatted = async (file, text, options) => {
  const { code, errors } = await format(file, text, options);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  return code;
};

/**
 * Writes a generated page, formatted as `make format` would, with its prose wrapped. With `--check` on the command line it writes nothing, and ends
 * the process with 1 when the page differs.
 * @param page path of the page in the project
 * @param text the whole page
 * @param command the command that writes it
 */
export const writePage = async (page, text, command) => {
  const file = path.join(ROOT, page);
  const code = await formatted(file, await formatted(file, text, WRAP), OPTIONS);
  if (!process.argv.includes('--check')) writeFileSync(file, code);
  else if (readFileSync(file, 'utf8') !== code) {
    console.error(`${page} is out of date. Run: ${command}`);
    process.exit(1);
  }
};
