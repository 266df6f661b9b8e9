import { describe, expect, it } from '@jest/globals';
import { createSeal } from './seal.js';

const seal = createSeal(Buffer.alloc(32, 1));
const VALUE = { a: [1, 'two'] };

describe('a sealed value', () => {
  it('opens with the key, purpose and name that it was sealed with, and with no other', () => {
    const text = seal.seal('token', 'n1', VALUE);
    expect(seal.open('token', 'n1', text)).toEqual(VALUE);
    expect(seal.open('token', 'n2', text)).toBeUndefined();
    expect(seal.open('toke', 'nn1', text)).toBeUndefined();
    expect(createSeal(Buffer.alloc(32, 2)).open('token', 'n1', text)).toBeUndefined();
  });

  it('opens with an older key while a new one is rolled out, and is sealed with the first', () => {
    const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const rotated = createSeal(fresh, old);
    expect(rotated.open('token', 'n1', seal.seal('token', 'n1', VALUE))).toEqual(VALUE);
    expect(createSeal(fresh).open('token', 'n1', rotated.seal('token', 'n1', VALUE))).toEqual(
      VALUE,
    );
    expect(seal.open('token', 'n1', rotated.seal('token', 'n1', VALUE))).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['only a version', 'v1.'],
    ['another version', seal.seal('token', 'n1', VALUE).replace('v1', 'v2')],
    ['changed text', seal.seal('token', 'n1', VALUE).replace('two', 'six')],
    ['text without a MAC', JSON.stringify(VALUE)],
  ])('is not what is %s', (_what, text) => {
    expect(seal.open('token', 'n1', text)).toBeUndefined();
  });

  it('has a name that does not reveal its subject', () => {
    expect(seal.nameOf('token', 'secret')).toMatch(/^[\w-]{43}$/u);
    expect(seal.nameOf('token', 'secret')).not.toBe(
      createSeal(Buffer.alloc(32, 2)).nameOf('token', 'secret'),
    );
  });
});
