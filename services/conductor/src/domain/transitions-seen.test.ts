import { describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { powerTransitionOf, provisionTransitionOf } from './transitions-seen.js';

const previous = {
  provision_state: 'deploying',
  provision_updated_at: '2026-11-21T06:00:00+00:00',
  power_state: null,
};
const pending = { pending_provision: { event: 'deploy', steps: [], steps_done: 0 } };

describe('a provision transition', () => {
  it('says what the order was that it ends, and how long the state lasted', () => {
    const earlier = aNode({ provision_state: 'deploying', driver_internal_info: pending });
    const node = aNode({
      provision_state: 'active',
      provision_updated_at: '2026-11-21T06:01:30+00:00',
    });
    expect(provisionTransitionOf(previous, node, earlier)).toEqual({
      from: 'deploying',
      to: 'active',
      target: null,
      event: 'deploy',
      durationMs: 90_000,
    });
  });

  it('does not know how long a state lasted that was never dated', () => {
    const node = aNode({ provision_state: 'active', provision_updated_at: null });
    expect(provisionTransitionOf(previous, node)?.durationMs).toBeNull();
  });

  it('is none when the state stays', () => {
    expect(
      provisionTransitionOf(previous, aNode({ provision_state: 'deploying' })),
    ).toBeUndefined();
  });
});

describe('a power transition', () => {
  it('is also the first state that is recorded', () => {
    expect(powerTransitionOf(previous, aNode({ power_state: 'power on' }))).toEqual({
      from: null,
      to: 'power on',
      target: null,
    });
    expect(powerTransitionOf(previous, aNode({ power_state: null }))).toBeUndefined();
  });
});
