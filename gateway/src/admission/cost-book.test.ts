import { beforeEach, describe, expect, it } from '@jest/globals';
import { type CostBook, createCostBook } from './cost-book.js';

let book: CostBook;
const LIST = { kind: 'GET /v1/nodes', tenant: 'a' };

beforeEach(() => {
  book = createCostBook();
});

const note = (times: number, cost: number, tenant = 'a'): void => {
  for (let turn = 0; turn < times; turn += 1) book.note({ ...LIST, tenant }, cost);
};

describe('the expected cost of a request', () => {
  it('is what was guessed, until one was seen', () => {
    expect(book.expected(LIST, 40)).toBe(40);
    note(1, 7);
    expect(book.expected(LIST, 40)).toBe(7);
  });

  it('rises within a few samples, and falls more slowly', () => {
    note(1, 10);
    note(1, 110);
    expect(book.expected(LIST, 0)).toBeCloseTo(40);
    note(1, 10);
    expect(book.expected(LIST, 0)).toBeCloseTo(37);
    note(10, 100);
    expect(book.expected(LIST, 0)).toBeGreaterThan(95);
  });

  it('is that of the same tenant where it is known, and else that of everybody', () => {
    note(5, 100, 'big');
    note(5, 2, 'small');
    expect(book.expected({ ...LIST, tenant: 'big' }, 0)).toBe(100);
    expect(book.expected({ ...LIST, tenant: 'small' }, 0)).toBe(2);
    expect(book.expected({ ...LIST, tenant: 'new' }, 0)).toBeGreaterThan(50);
  });

  it('is never nothing, and no single sample counts for more than two seconds', () => {
    note(1, 0);
    expect(book.expected(LIST, 0)).toBe(1);
    expect(book.expected({ kind: 'other', tenant: 'a' }, 0)).toBe(1);
    note(1, 60_000);
    expect(book.expected(LIST, 0)).toBeCloseTo(600.7);
  });
});
