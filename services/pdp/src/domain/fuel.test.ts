import { expect, it } from '@jest/globals';
import { budgetFor } from './fuel.js';

it('gives what a policy of this speed uses within the deadline', () => {
  expect(budgetFor({ speeds: [100_000, 100_000], most: 5000 }, 50)).toBe(5_000_000);
});

it('ignores evaluations that waited for the CPU, and those too short for the clock', () => {
  const speeds = [1, Infinity, 100_000, 20, 110_000, Infinity, 90_000];
  expect(budgetFor({ speeds, most: 5000 }, 50)).toBe(5_000_000);
});

it('gives twenty times the costliest evaluation at least', () => {
  expect(budgetFor({ speeds: [1000], most: 50_000 }, 50)).toBe(1_000_000);
});

it('gives no more than the fastest machine uses, without a measurement', () => {
  expect(budgetFor({ speeds: [Infinity, Infinity], most: 10 }, 50)).toBe(200_000_000);
  expect(budgetFor({ speeds: [], most: 10 }, 50)).toBe(200_000_000);
});
