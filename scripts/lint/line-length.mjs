// Finds lines of Markdown that are longer than 120 characters: they cannot be reviewed in a diff.
// Usage: node scripts/lint/line-length.mjs [PATH...]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LIMIT = 120;
/** Decisions of their time, which are not edited, and the generated matrix, which is one wide table. */
const EXEMPT = [/^docs\/adr\/00([0-2]\d|3[0-3])-/, /^docs\/policy\/matrix\.md$/];
/** A line that is one address. */
const UNBREAKABLE = /^\s*\S*https?:\/\/\S+$/;

const files = execFileSync('git', ['ls-files', '-z', '--', ...process.argv.slice(2)], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file.endsWith('.md') && !EXEMPT.some((pattern) => pattern.test(file)));
const found = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      line.length > LIMIT && !UNBREAKABLE.test(line)
        ? [`${file}:${index + 1}: ${line.length} characters`]
        : [],
    ),
);
for (const line of found) console.log(line);
console.log(`${found.length} lines longer than ${LIMIT} characters in ${files.length} pages`);
process.exitCode = found.length === 0 ? 0 : 1;
