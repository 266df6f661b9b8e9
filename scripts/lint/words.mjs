// Finds words that Tenure does not use, because the field has better ones (docs/glossary.md). Identifiers count word by word.
// Usage: node scripts/lint/words.mjs [--count] [PATH...]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What stands for a word of the left column: a pattern, what to write instead, and where the pattern is fine. */
const RULES = [
  [/\b(told|tells?)\b/, 'notified, reported, logged, returned, passed to'],
  [/\basked\b/, 'requested, queried; a noun: request, query, input'],
  [/\bknown\b/, 'cached, found, registered', /well-known/],
  [/\bshown\b/, 'visible, returned; a noun: view'],
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
  [/\b(crew|turnstiles?|enlists?)\b/, 'semaphore, limiter, acquire'],
  [/\bgates?\b/, 'semaphore, limiter'],
  [
    /\b(rouses?|forgives?|meets?|lets? go|takes? doubt|patiently|patient|persistently)\b/,
    'schedule, reset failures, first seen, release, mark uncertain, with retry',
  ],
  [/\bdepartures?\b/, 'pending deletions'],
  [/\b(goodbye|farewell|gone)\b/, 'deregistered, expired, removed, dead', /410|http gone/],
  [/\bof old\b/, 'deprecated'],
  [/\bthings?\b/, 'resource'],
  [/\b(stands|standing|holding)\b/, 'relation, role in a relation, grants'],
  [/\bnobody s\b|\bnobody’s\b|\bnobody's\b/, 'unowned'],
  [/\bthe own\b/, 'the caller’s'],
  [/\blifted\b/, 'bypassed'],
  [/\bbears?\b/, 'capacity, sustained throughput'],
  [/\b(gives?|gave|giving) up\b/, 'times out, cancels'],
  [/\bdamaged\b/, 'corrupt, malformed'],
  [/\bon record\b/, 'logged, recorded'],
  [/\bwords\b/, 'message, error text'],
  [/\b(write|writes|wrote|written|writing) (\w+ )?down\b/, 'persisted, recorded'],
  [/\b(rooms?|houses?|floors?)\b/, 'folder, layer, minimum', /math\.floor/],
  [
    /(?:^|[.:;] |\* |\/\/ |\| )(Who|Whoever|What|Whose|Whatever) [a-z][^.?]*(\.|$)/,
    'a subject: a sentence does not begin with Who or What',
  ],
];

/** Generated, quoted from elsewhere, or a record of its time. */
const EXEMPT =
  /^(docs\/adr\/00([0-2]\d|3[0-3])-|docs\/glossary\.md|docs\/policy\/matrix\.md|scripts\/lint\/words\.mjs|package-lock|LICENSE|policies-rego\/golden\/|tests\/tempest\/passing|tests\/fixtures\/|.*\.(png|gz|svg|pem|sum|crd\.json))/;

const spaced = (line) =>
  line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll('_', ' ');

function findings(file) {
  const found = [];
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const text = spaced(line);
    for (const [pattern, instead, fine] of RULES) {
      const isSentence = pattern.source.startsWith('(?:^');
      const subject = isSentence ? line.trim() : text.toLowerCase();
      const isComment = /^\s*(\*|\/\/|\/\*|#|[A-Z|-])/.test(line) || file.endsWith('.md');
      if (isSentence && !isComment) continue;
      if (pattern.test(subject) && !(fine?.test(subject) ?? false))
        found.push(
          `${file}:${index + 1}: ${pattern.exec(subject)[0].trim().slice(0, 40)}: use ${instead}`,
        );
    }
  }
  return found;
}

const isCount = process.argv.includes('--count');
const paths = process.argv.slice(2).filter((argument) => argument !== '--count');
const files = execFileSync('git', ['ls-files', '-z', '--', ...paths], { encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && !EXEMPT.test(file));
const all = files.flatMap(findings);
if (isCount) {
  const folders = new Map();
  for (const line of all) {
    const folder = line.split(/[/:]/).slice(0, 2).join('/');
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of [...folders].toSorted((a, b) => b[1] - a[1]))
    console.log(`${count} ${folder}`);
} else for (const line of all) console.log(line);
console.log(`${all.length} words in ${files.length} files`);
process.exitCode = all.length === 0 ? 0 : 1;
