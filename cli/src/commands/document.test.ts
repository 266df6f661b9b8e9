import { describe, expect, it } from '@jest/globals';
import { batchesOf, documentOf } from './document.js';

describe('an inventory document', () => {
  it('is refused when a section is unknown, not a list, or the whole is not an object', () => {
    expect(() => documentOf({ machines: [] })).toThrow('unknown section "machines"');
    expect(() => documentOf({ nodes: {} })).toThrow('section "nodes" is not a list');
    expect(() => documentOf([])).toThrow('is an object with sections');
  });

  it('is loaded chassis first, then nodes, in batches that keep the order', () => {
    const document = documentOf({ nodes: [1, 2, 3], chassis: [9], ports: [] });
    expect([...batchesOf(document, 2)]).toEqual([
      ['chassis', [9]],
      ['nodes', [1, 2]],
      ['nodes', [3]],
    ]);
  });
});
