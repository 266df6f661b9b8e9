import { describe, expect, it } from '@jest/globals';
import { createOwnCopies, putMember } from './own-copies.js';

describe('copies of changed members', () => {
  it('are made once for each object and list', () => {
    const [stored, list] = [{ a: 1, b: 2 }, [1, 2, 3]];
    const copies = createOwnCopies();
    const mine = copies.members(stored);
    expect(mine).toEqual(stored);
    expect(mine).not.toBe(stored);
    expect(copies.members(mine)).toBe(mine);
    const row = copies.list(list);
    expect(copies.list(row)).toBe(row);
    expect(copies.copied).toBe(5);
  });

  it('keep a member that is called __proto__ as a member', () => {
    const stored: unknown = JSON.parse('{"__proto__": {"admin": true}}');
    const copy = createOwnCopies().members(stored as object);
    expect(Object.keys(copy)).toEqual(['__proto__']);
    putMember(copy, '__proto__', 1);
    expect(JSON.stringify(copy)).toBe('{"__proto__":1}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});
