import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mongodbAddressOf } from './mongodb-address.js';

let directory: string;
function file(name: string, text: string): string {
  const place = path.join(directory, name);
  writeFileSync(place, text);
  return place;
}
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'secret-file-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('a MongoDB', () => {
  const NAMES = { uri: 'U', tlsCaFile: 'CA' };
  const address = (uri: string | null, uriFile: string | null, tlsCaFile: string | null) =>
    mongodbAddressOf({ uri, uriFile, tlsCaFile }, NAMES);

  it('is absent, from a URI, from a file, or with a CA certificate', () => {
    const ca = file('ca.pem', 'x');
    expect(address(null, null, null)).toBeUndefined();
    expect(address('mongodb://h', null, null)).toEqual({ uri: 'mongodb://h', tls: {} });
    expect(address(null, file('uri', 'mongodb+srv://u:p@h/?tls=true\n'), ca)).toEqual({
      uri: 'mongodb+srv://u:p@h/?tls=true',
      tls: { tls: true, tlsCAFile: ca },
    });
  });

  it.each([
    ['mongodb://u:sesame@h/?tlsAllowInvalidCertificates=true', 'tlsallowinvalidcertificates'],
    ['mongodb://u:sesame@h/?a=b&TLSINSECURE=1', 'tlsinsecure'],
    ['mongodb://u:sesame@h/?tls=false', 'disables tls'],
    ['http://u:sesame@h', 'must be: a mongodb://'],
  ])('without certificate checks is refused, and the error has no password (%#)', (uri, what) => {
    const ca = file('ca.pem', 'x');
    expect(() => address(null, file('uri', uri), ca)).toThrow(what);
    expect(() => address(uri, null, ca)).not.toThrow('sesame');
  });

  it('with a certificate is refused without the file, and without a URI', () => {
    expect(() => address('mongodb://h', null, path.join(directory, 'none'))).toThrow(
      'CA: the file cannot be read',
    );
    expect(() => address(null, null, file('ca.pem', 'x'))).toThrow('CA is set, and U is not');
  });
});
