import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from './config.js';
import { secretFrom } from './secret-file.js';

function fileWith(text: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'tenure-secret-')), 'secret');
  writeFileSync(file, text);
  return file;
}

describe('a secret', () => {
  it('is the value, or the content of the file without its trailing newline', () => {
    expect(secretFrom('', '', 'SECRET')).toBe('');
    expect(secretFrom(null, undefined, 'SECRET')).toBe('');
    expect(secretFrom('value', '', 'SECRET')).toBe('value');
    expect(secretFrom('', fileWith('value\n'), 'SECRET')).toBe('value');
    expect(secretFrom('', fileWith('value\r\n'), 'SECRET')).toBe('value');
    expect(secretFrom('', fileWith(' two\nlines \n\n'), 'SECRET')).toBe(' two\nlines \n');
  });

  it.each([
    ['both are set', 'hidden', fileWith('hidden'), 'SECRET and SECRET_FILE exclude one another'],
    ['the file is empty', '', fileWith('\n'), 'is empty'],
    [
      'there is no file',
      '',
      '/nowhere/at-all',
      'SECRET_FILE: /nowhere/at-all cannot be read (ENOENT)',
    ],
    ['it is a directory', '', tmpdir(), 'cannot be read (EISDIR)'],
  ])('is refused when %s, and not revealed', (_what, value, file, message) => {
    const take = (): string => secretFrom(value, file, 'SECRET');
    expect(take).toThrow(ConfigError);
    expect(take).toThrow(message);
    expect(take).toThrow(/^(?!.*hidden)/su);
  });
});
