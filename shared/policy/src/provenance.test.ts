import { expect, it } from '@jest/globals';
import { provenanceOf } from './provenance.js';

it('reads what the manifest says of how the bundle was made', () => {
  const build = { compiler: { name: 'opa', version: '1.22.0' }, tests: { passed: 3, failed: 0 } };
  expect(provenanceOf({ revision: 'v7', roots: [''], metadata: { tenure: build } })).toEqual({
    revision: 'v7',
    roots: [''],
    build,
  });
});

it.each([[undefined], [{}], [{ revision: '', metadata: { tenure: { coverage: 'all' } } }]])(
  'knows nothing from %j',
  (manifest) => {
    expect(provenanceOf(manifest)).toEqual({ revision: undefined, roots: [], build: undefined });
  },
);
