import { describe, expect, it } from '@jest/globals';
import { makeNode } from '../testing/fixtures.js';
import { assertNodeFits, NODE_BYTES } from './node-size.js';

const nodeOf = (extra: number, info = 0) =>
  makeNode({ extra: { text: 'x'.repeat(extra) }, instance_info: { text: 'x'.repeat(info) } });

describe('caller-written data on a node', () => {
  it('is limited to 512 KiB in all fields together, and a refusal names the budget', () => {
    expect(NODE_BYTES).toBe(524_288);
    const half = NODE_BYTES / 2;
    expect(() => {
      assertNodeFits(nodeOf(0), nodeOf(half, half - 10_000));
    }).not.toThrow();
    const refusal = expect.objectContaining({
      code: 'quota_exceeded',
      status: 413,
      message: 'Quota exceeded for node_bytes: at most 524288 bytes may be written on a node.',
    });
    for (const before of [null, nodeOf(half)])
      expect(() => {
        assertNodeFits(before, nodeOf(half, half));
      }).toThrow(refusal);
  });

  it('may shrink, and may change without growth, where an import left more', () => {
    const large = nodeOf(NODE_BYTES);
    for (const after of [nodeOf(NODE_BYTES - 1), { ...large, power_state: 'power on' }])
      expect(() => {
        assertNodeFits(large, after);
      }).not.toThrow();
    expect(() => {
      assertNodeFits(large, nodeOf(NODE_BYTES + 1));
    }).toThrow('node_bytes');
  });
});
