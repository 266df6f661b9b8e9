// Finds words that Tenure does not use, because the field has better ones (docs/glossary.md). Identifiers count word by word.
// Usage: node scripts/lint/vocabulary.mjs [--count] [PATH...]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A word to avoid, what to write instead, and where the word is fine. */
const RULES = [
  [/\b(told|tells?)\b/, 'notified, reported, logged, returned, passed to'],
  [/\basked\b/, 'requested, queried; as a noun: request, query, input'],
  [/\bknown\b/, 'cached, found, registered', /well-known/],
  [/\bshown\b/, 'visible, returned; as a noun: view'],
  [/\bheld\b/, 'acquired, owned, locked, kept'],
  [/\bbehalf\b/, 'call context, actor, caller'],
  [/\bwish(es)?\b/, 'desired revision (decision point), pending task (compute)'],
  [/\b(keepers?|keeping|ledgers?|trials?)\b/, 'policy store, history, activation'],
  [/\bturns?\b(?! (it |them )?(on|off)\b)/, 'mutex, batch, round'],
  [/\b(obeys?|obeyed)\b/, 'applies'],
  [/\bsettle[sd]?\b/, 'reconcile, finish, complete', /all settled|promise settled/],
  [/\b(board|roll call)\b/, 'shared state, replica heartbeat'],
  [/\bdesks?\b/, 'audit queries'],
  [/\bdoors?\b/, 'caller allow-list (conductor); login, logout (console)'],
  [/\blinger(s|ing)?\b/, 'grace period, drain'],
  [/\b(crew|turnstiles?|enlists?|gates?)\b/, 'semaphore, limiter, acquire'],
  [
    /\b(rouses?|forgives?|meets?|lets? go|takes? doubt)\b/,
    'schedule, reset failures, first seen, release',
  ],
  [/\b(patiently|patient|persistently)\b/, 'with retry'],
  [/\bdepartures?\b/, 'pending deletions'],
  [/\b(goodbye|farewell|gone)\b/, 'deregistered, expired, removed, dead', /410|http gone/],
  [/\bof old\b/, 'deprecated'],
  [/\bthings?\b/, 'resource'],
  [/\b(stands|standing|holding)\b/, 'relation, role in a relation, grants'],
  [/\bnobody['’ ]s\b/, 'unowned'],
  [/\bthe own\b/, 'the caller’s'],
  [/\blifted\b/, 'bypassed'],
  [/\bbears?\b/, 'capacity, sustained throughput'],
  [/\b(gives?|gave|giving) up\b/, 'times out, cancels'],
  [/\bdamaged\b/, 'corrupt, malformed'],
  [/\bon record\b/, 'logged, recorded'],
  [/\bwords\b/, 'message, error text'],
  [/\b(write|writes|wrote|written|writing) (\w+ )?down\b/, 'persisted, recorded'],
  [/\b(rooms?|houses?|floors?)\b/, 'folder, layer, minimum', /math\.floor/],
];
/** A clause such as "Who is late …" has no subject that a reader could search for. */
const NO_SUBJECT = /(?:^|[.:;] |\* |\/\/ |\| )(Who|Whoever|What|Whose|Whatever) [a-z][^.?]*(\.|$)/;
const COMMENT = /^\s*(\*|\/\/|\/\*|#|[A-Z|-])/;

/** Generated, quoted from elsewhere, or a record of its time. */
const EXEMPT = [
  /^docs\/adr\/00([0-2]\d|3[0-3])-/,
  /^docs\/(glossary|policy\/matrix)\.md$/,
  /^scripts\/lint\/vocabulary/,
  /^(LICENSE|CHANGELOG\.md|package-lock\.json)$/,
  /^policies-rego\/(golden\/|capabilities\.json)/,
  /^tests\/(tempest\/passing\.txt|fixtures\/)/,
  /\.(png|gz|svg|pem|sum)$/,
];

/**
 * The words that are left in a file: names on the wire or stored, and pages that are not rewritten yet. Entries only go,
 * but for the old names that a migration reads.
 */
const LEFT = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'vocabulary-left.json'), 'utf8'),
);

/** Every word of the line by itself, those of identifiers too. */
const spaced = (line) =>
  line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();

function wordsIn(file, line) {
  const text = spaced(line);
  const found = RULES.flatMap(([pattern, instead, fine]) => {
    const match = fine?.test(text) === true ? null : pattern.exec(text);
    return match === null ? [] : [{ word: match[0], instead }];
  });
  const isProse = COMMENT.test(line) || file.endsWith('.md');
  if (isProse && NO_SUBJECT.test(line.trim()))
    found.push({ word: NO_SUBJECT.exec(line.trim())[1], instead: 'a subject and a verb' });
  return found;
}

function findings(file) {
  const left = new Set(LEFT[file]);
  const used = new Set();
  const found = [];
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries())
    for (const { word, instead } of wordsIn(file, line)) {
      used.add(word);
      if (!left.has(word))
        found.push({ file, word, text: `${file}:${index + 1}: "${word}": write ${instead}` });
    }
  for (const word of left)
    if (!used.has(word))
      found.push({
        file,
        word,
        text: `${file}: "${word}" is no longer there: remove it from vocabulary-left.json`,
      });
  return found;
}

const isCount = process.argv.includes('--count');
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const files = execFileSync('git', ['ls-files', '-z', '--', ...paths], { encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && !EXEMPT.some((pattern) => pattern.test(file)));
const all = files.flatMap(findings);
const perFolder = Map.groupBy(all, ({ file }) => file.split('/').slice(0, 2).join('/'));
if (isCount) for (const [folder, { length }] of perFolder) console.log(`${length} ${folder}`);
else for (const { text } of all) console.log(text);
console.log(`${all.length} words to avoid in ${files.length} files`);
process.exitCode = all.length === 0 ? 0 : 1;
