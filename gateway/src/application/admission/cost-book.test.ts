import { beforeEach, describe, expect, it } from '@jest/globals';
import { type CostBook, createCostBook } from './cost-book.js';

let book: CostBook;
const LIST = { kind: 'GET /v1/nodes', tenant: 'a' };

beforeEach(() => {
  book = createCostBook();
});

function note(times: number, cost: number, tenant = 'a'): void {
  for (let round = 0; round < times; round += 1) book.note({ ...LIST, tenant }, cost, cost);
}

describe('the expected cost of a request', () => {
  it('is the fallback until the first sample', () => {
    expect(book.expected(LIST, 40).cost).toBe(40);
    note(1, 7);
    expect(book.expected(LIST, 40).cost).toBe(7);
  });

  it('rises within a few samples, and falls more slowly', () => {
    note(1, 10);
    note(1, 110);
    expect(book.expected(LIST, 0).cost).toBeCloseTo(40);
    note(1, 10);
    expect(book.expected(LIST, 0).cost).toBeCloseTo(37);
    note(10, 100);
    expect(book.expected(LIST, 0).cost).toBeGreaterThan(95);
  });

  it('is that of the tenant, or without samples that of the kind', () => {
    note(5, 100, 'big');
    note(5, 2, 'small');
    expect(book.expected({ ...LIST, tenant: 'big' }, 0).cost).toBe(100);
    expect(book.expected({ ...LIST, tenant: 'small' }, 0).cost).toBe(2);
    expect(book.expected({ ...LIST, tenant: 'new' }, 0).cost).toBeGreaterThan(50);
  });

  it('is never 0, and one sample counts for at most two seconds', () => {
    note(1, 0);
    expect(book.expected(LIST, 0).cost).toBe(1);
    expect(book.expected({ kind: 'other', tenant: 'a' }, 0).cost).toBe(1);
    note(1, 60_000);
    expect(book.expected(LIST, 0).cost).toBeCloseTo(600.7);
  });
});

describe('the expected load of a request', () => {
  it('equals its cost when it only computes, also with many requests in flight', () => {
    book.note(LIST, 20, 20);
    for (let round = 0; round < 50; round += 1) book.note(LIST, 20, undefined);
    expect(book.expected(LIST, 0)).toEqual({ cost: 20, load: 20 });
  });

  it('is small when it waits for most of its time', () => {
    book.note(LIST, 5, 500);
    expect(book.expected(LIST, 0)).toEqual({ cost: 5, load: 0.05 });
  });

  it('equals its cost before the first sample', () => {
    expect(book.expected(LIST, 40)).toEqual({ cost: 40, load: 40 });
  });
});
