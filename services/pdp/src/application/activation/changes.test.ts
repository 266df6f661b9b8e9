import { describe, expect, it } from '@jest/globals';
import { changesBetween } from './changes.js';

const wasm = Buffer.from('rules');
const policy = (actions: object, switches: object = {}) => ({
  wasm,
  data: { tenure: { actions, switches } },
});

const get = { kind: 'item', grants: ['owner_reader', 'lessee_reader'] };

describe('what changed between two policies', () => {
  it('is nothing when they are the same', () => {
    expect(changesBetween(policy({ get }), policy({ get: { ...get } }))).toEqual([]);
  });

  it('lists changes by row and member', () => {
    const before = policy({ get, removed: { grants: [] } }, { enforce_scope: true });
    const after = policy(
      { get: { ...get, grants: ['owner_reader'] }, fresh: { grants: ['public'] } },
      { enforce_scope: false },
    );
    expect(changesBetween(before, after)).toEqual([
      'actions fresh: nothing → {"grants":["public"]}',
      'actions get grants: ["owner_reader","lessee_reader"] → ["owner_reader"]',
      'actions removed: {"grants":[]} → nothing',
      'switches enforce_scope: true → false',
    ]);
  });

  it('says that the rules differ, and lists no more than the maximum', () => {
    const rows = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`a${at}`, at]));
    const changes = changesBetween(policy({}), { ...policy(rows), wasm: Buffer.from('others') });
    expect(changes).toHaveLength(200);
    expect(changes[0]).toBe('the compiled rules');
    expect(changes.at(-1)).toBe('and 102 more');
  });
});
