import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLargeBodies, type LargeBodies, type LargeBody } from './large-bodies.js';

let bodies: LargeBodies;
const LARGE = 65_537;

beforeEach(() => {
  bodies = createLargeBodies({ maxOwn: 2, max: 3 });
});

function taken(tenant: string, announced?: number): LargeBody {
  const answer = bodies.admit(tenant, announced);
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}

describe('a large body', () => {
  it('is read while its tenant has few in progress', () => {
    taken('a', LARGE);
    const second = taken('a', LARGE);
    expect(bodies.admit('a', LARGE)).toBe('project_limit');
    second.ended();
    second.ended();
    taken('a', LARGE);
    expect(bodies.admit('a', LARGE)).toBe('project_limit');
  });

  it('is read while all tenants together have few in progress', () => {
    for (const tenant of ['a', 'b', 'c']) taken(tenant, LARGE);
    expect(bodies.admit('d', LARGE)).toBe('overload');
  });

  it('is any body without an announced size', () => {
    taken('a');
    taken('a');
    expect(bodies.admit('a', undefined)).toBe('project_limit');
  });
});

describe('a small body', () => {
  it('is always read', () => {
    taken('a', LARGE);
    taken('a', LARGE);
    for (let round = 0; round < 10; round += 1) taken('a', 65_536);
    expect(bodies.admit('a', LARGE)).toBe('project_limit');
  });
});
