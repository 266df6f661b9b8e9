import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { Header } from 'tar';
import { readBundleArchive } from './bundle-archive.js';

type EntryType = 'File' | 'SymbolicLink' | 'Link' | 'Directory';

function entry(path: string, content: string, type: EntryType = 'File'): Buffer {
  const body = Buffer.from(content);
  const size = type === 'File' ? body.length : 0;
  const header = new Header({
    path,
    size,
    mode: 0o600,
    type,
    ...(type !== 'File' && { linkpath: '/etc/passwd' }),
  });
  header.encode();
  const padding = Buffer.alloc((512 - (size % 512)) % 512);
  return Buffer.concat([header.block ?? Buffer.alloc(512), body.subarray(0, size), padding]);
}

const archive = (...entries: readonly Buffer[]): Buffer =>
  gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));

const wasm = entry('/policy.wasm', 'w');
const data = entry('/data.json', '{}');

describe('readBundleArchive', () => {
  it('reads the two files and ignores others', async () => {
    const files = await readBundleArchive(
      archive(wasm, entry('/.manifest', '{}'), entry('/sub/data.json', '[]'), data),
    );
    expect(Buffer.from(files.wasm).toString()).toBe('w');
    expect(files.dataText).toBe('{}');
  });

  it.each([
    ['policy.wasm is missing', archive(data), 'the bundle has no policy.wasm'],
    ['data.json is missing', archive(wasm), 'the bundle has no data.json'],
    [
      'a file is given twice',
      archive(wasm, data, entry('./policy.wasm', 'evil')),
      'policy.wasm is in it twice',
    ],
    ['a path climbs', archive(wasm, data, entry('../x', '')), '"../x" is not a plain file'],
    [
      'policy.wasm is a symbolic link',
      archive(data, entry('/policy.wasm', '', 'SymbolicLink')),
      'is not a plain file',
    ],
    [
      'there is a hard link',
      archive(wasm, data, entry('/other', '', 'Link')),
      '"/other" is not a plain file',
    ],
    ['it is not gzip', Buffer.from('nonsense'), 'not gzip'],
    ['it is cut short', archive(wasm, data).subarray(0, 40), 'not gzip, is corrupt'],
    ['it unpacks to very much', gzipSync(Buffer.alloc(65 * 1024 * 1024)), 'more than 64 MiB'],
    ['it is not tar', gzipSync(Buffer.alloc(2048, 'x')), 'not a tar archive'],
  ])('refuses a bundle when %s', async (_what, bytes, message) => {
    await expect(readBundleArchive(bytes)).rejects.toThrow(message);
  });
});
