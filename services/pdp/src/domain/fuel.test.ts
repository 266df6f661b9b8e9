import { expect, it } from '@jest/globals';
import { budgetFor } from './fuel.js';

it('gives what a policy of this speed uses within the deadline', () => {
  expect(budgetFor({ fuel: 1_000_000, most: 5000, workMs: 10 }, 50)).toBe(5_000_000);
});

it('gives twenty times the costliest evaluation at least', () => {
  expect(budgetFor({ fuel: 1_000_000, most: 50_000, workMs: 1000 }, 50)).toBe(1_000_000);
});

it('gives whatever there is when nobody could measure', () => {
  expect(budgetFor({ fuel: 10, most: 10, workMs: 0 }, 50)).toBe(Infinity);
});
