/** Syntax of a boot loader's configuration: the kernel that it boots, and its parameters. */
export type Grammar = 'grub' | 'loader-entry' | 'syslinux';

/** A configuration with parameters added to each command line of a kernel, and the number of these. */
export interface Extended {
  readonly text: string;
  readonly count: number;
}

const SYSLINUX_NAMES: ReadonlySet<string> = new Set([
  'isolinux.cfg',
  'syslinux.cfg',
  'extlinux.conf',
  // as ISO 9660 without extensions and FAT write it
  'extlinux.con',
]);
const GRAMMAR_OF_DIRECTORY: Readonly<Record<string, Grammar>> = {
  isolinux: 'syslinux',
  syslinux: 'syslinux',
  extlinux: 'syslinux',
  grub: 'grub',
  grub2: 'grub',
  efi: 'grub',
};

/** For error texts: the files that are searched for command lines. */
export const LOOKED_FOR =
  'grub.cfg, isolinux.cfg, syslinux.cfg, extlinux.conf, other *.cfg below grub, grub2, EFI, isolinux or syslinux, and loader/entries/*.conf';

/** Tokens of GRUB's shell after which another command begins. */
const OPENING: ReadonlySet<string> = new Set([
  '!',
  '{',
  '}',
  'do',
  'done',
  'elif',
  'else',
  'fi',
  'if',
  'then',
  'until',
  'while',
]);

const BOOTS_LINUX = /^\$?\{?linux[\w${}]*$/u;

/** Finds where the last word of each command ends that boots a kernel. */
class GrubCommands {
  readonly places: number[] = [];
  #isFirst = true;
  /** Number of arguments after the command's name; undefined in any other command. */
  #arguments: number | undefined;
  #lastEnd = 0;

  word(word: string, end: number): void {
    if (this.#arguments !== undefined) this.#arguments += 1;
    else if (this.#isFirst && BOOTS_LINUX.test(word)) this.#arguments = 0;
    else this.#isFirst = word === '{' || (this.#isFirst && OPENING.has(word));
    this.#lastEnd = end;
  }

  end(): void {
    if (this.#arguments !== undefined && this.#arguments > 0) this.places.push(this.#lastEnd);
    this.#arguments = undefined;
    this.#isFirst = true;
  }
}

/** A blank, a line that goes on with the next, or a comment. */
const SKIPPED = /(?:[ \t\r]|\\\r?\n|#[^\n]*)+/uy;
const OPERATOR = /[\n;&|<>]/u;

/** What SYSLINUX runs that is no kernel: its own modules, boot sectors, disk images. */
const NO_KERNEL = /\.(?:0|bin|bs|bss|c32|cbt|com|img|lss)$/iu;

interface SyslinuxSection {
  readonly lines: string[];
  readonly kernel: string | undefined;
  readonly hasAppend: boolean;
}

const KERNEL = /^(\s*)(?:kernel|linux)\s+(\S+)/iu;
const APPEND = /^(\s*append)(?!\S)(.*)$/isu;

/**
 * The grammar of a file of a boot medium; undefined when it is no configuration of a boot loader.
 * @param path from the root, with slashes
 */
export function grammarOf(path: string): Grammar | undefined {
  const parts = path.toLowerCase().split('/');
  const name = parts.pop() ?? '';
  if (SYSLINUX_NAMES.has(name)) return 'syslinux';
  if (name === 'grub.cfg') return 'grub';
  const isEntry = parts.includes('loader') && parts.at(-1) === 'entries';
  if (isEntry && /\.conf?$/u.test(name)) return 'loader-entry';
  if (!name.endsWith('.cfg')) return undefined;
  const directory = parts.toReversed().find((part) => Object.hasOwn(GRAMMAR_OF_DIRECTORY, part));
  return directory === undefined ? undefined : GRAMMAR_OF_DIRECTORY[directory];
}

/** Appends parameters to each command line of a kernel. Of two parameters with one name the last counts, so ours do. */
export const extendCommandLines = (text: string, grammar: Grammar, parameters: string): Extended =>
  ({ grub, syslinux, 'loader-entry': loaderEntry })[grammar](text, parameters);

function grub(text: string, parameters: string): Extended {
  const places = grubPlaces(text);
  const parts = [0, ...places].map((from, index) => text.slice(from, places[index]));
  return { text: parts.join(` ${parameters}`), count: places.length };
}

function syslinux(text: string, parameters: string): Extended {
  const sections = sectionsOf(text);
  const hasGlobal = sections[0]?.hasAppend === true;
  let count = 0;
  const lines = sections.flatMap(({ lines: own, kernel, hasAppend }, index) => {
    if (kernel !== undefined && NO_KERNEL.test(kernel)) return own;
    // A label without parameters of its own inherits those above all labels.
    const isBare = index > 0 && kernel !== undefined && !hasAppend && !hasGlobal;
    return own.flatMap((line) => {
      const [, indent = ''] = KERNEL.exec(line) ?? [];
      const isOwnKernel = isBare && KERNEL.test(line);
      if (!isOwnKernel && !APPEND.test(line)) return [line];
      count += 1;
      return isOwnKernel
        ? [line, `${indent}APPEND ${parameters}`]
        : [extendedAppend(line, parameters)];
    });
  });
  return { text: lines.join(lineEndOf(text)), count };
}

function loaderEntry(text: string, parameters: string): Extended {
  const lines = text.split(/\r?\n/u);
  const at = lines.findLastIndex((line) => /^\s*options\b/u.test(line));
  const kernel = lines.findIndex((line) => /^\s*linux\s+\S/u.test(line));
  if (kernel === -1) return { text, count: 0 };
  if (at === -1) lines.splice(kernel + 1, 0, `options ${parameters}`);
  else lines[at] = `${(lines[at] ?? '').trimEnd()} ${parameters}`;
  return { text: lines.join(lineEndOf(text)), count: 1 };
}

function grubPlaces(text: string): readonly number[] {
  const commands = new GrubCommands();
  for (let at = 0; at < text.length;) {
    SKIPPED.lastIndex = at;
    at += SKIPPED.exec(text)?.[0].length ?? 0;
    if (at >= text.length) break;
    if (OPERATOR.test(text.charAt(at))) {
      commands.end();
      at += 1;
    } else {
      const end = wordEnd(text, at);
      commands.word(text.slice(at, end), end);
      at = end;
    }
  }
  commands.end();
  return commands.places;
}

/** Where the word ends that begins at `from`: at a blank or an operator outside of quotes. */
function wordEnd(text: string, from: number): number {
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\' && quote !== "'") at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (/[\s;&|<>]/u.test(char)) return at;
  }
  return text.length;
}

function sectionsOf(text: string): readonly SyslinuxSection[] {
  const sections: string[][] = [[]];
  for (const line of text.split(/\r?\n/u)) {
    if (/^\s*label\s/iu.test(line)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections.map(sectionOf);
}

function extendedAppend(line: string, parameters: string): string {
  const [, head = '', after = ''] = APPEND.exec(line) ?? [];
  const rest = after.trim();
  // A lone hyphen means that there are no parameters.
  return rest === '' || rest === '-' ? `${head} ${parameters}` : `${head} ${rest} ${parameters}`;
}

const lineEndOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

const sectionOf = (lines: string[]): SyslinuxSection => ({
  lines,
  kernel: lines.map((line) => KERNEL.exec(line)?.[2]).find((found) => found !== undefined),
  hasAppend: lines.some((line) => APPEND.test(line)),
});
