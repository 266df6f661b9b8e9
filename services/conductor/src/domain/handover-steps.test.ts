import { describe, expect, it } from '@jest/globals';
import { type HandoverOutcome, type HandoverPhase, type HandoverPlan } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import { nextStep } from './handover-steps.js';

const BOTH: HandoverPlan = { undeploy: true, clean: true };
const UNDEPLOY: HandoverPlan = { undeploy: true, clean: false };
const NEITHER: HandoverPlan = { undeploy: false, clean: false };

const step = (state: string, phase: HandoverPhase, plan: HandoverPlan, fields = {}): unknown =>
  nextStep(aNode({ provision_state: state, ...fields }), { plan, phase, steps: [] });

/** After cleanings with these outcomes. */
function cleaned(state: string, phase: HandoverPhase, ...outcomes: HandoverOutcome[]): unknown {
  const at = '2026-11-22T08:00:00+00:00';
  const steps = outcomes.map((outcome) => ({ step: 'clean', outcome, at, detail: null }) as const);
  return nextStep(aNode({ provision_state: state }), { plan: BOTH, phase, steps });
}

const order = (target: string, phase: HandoverPhase) => ({ kind: 'order', target, phase });
const NOT_CLEANED = {
  kind: 'failed',
  step: 'clean',
  reason: 'The node could not be cleaned.',
  phase: 'cleared',
};

describe('between two tenancies', () => {
  it('nothing is done while somebody works on the node', () => {
    expect(step('active', null, BOTH, { reservation: 'c-1' })).toEqual({ kind: 'wait' });
  });

  it.each([BOTH, UNDEPLOY, NEITHER])('what was attached goes first: %j', (plan) => {
    expect(step('active', null, plan)).toEqual({ kind: 'clear' });
  });

  it('a machine that is not to be torn down is left as it is', () => {
    expect(step('active', 'cleared', NEITHER)).toEqual({ kind: 'done' });
    expect(step('available', 'cleared', NEITHER)).toEqual({ kind: 'done' });
  });

  it.each(['active', 'wait call-back', 'deploy failed', 'error', 'rescue', 'service failed'])(
    'a machine in %s is torn down',
    (state) => {
      expect(step(state, 'cleared', UNDEPLOY)).toEqual(order('deleted', 'undeploying'));
      expect(step(state, 'cleared', BOTH)).toEqual(order('deleted', 'undeploying'));
    },
  );

  it.each(['deploying', 'cleaning', 'clean wait', 'deleting', 'service wait'])(
    'work in %s is waited for',
    (state) => {
      expect(step(state, 'undeploying', BOTH)).toEqual({ kind: 'wait' });
      expect(step(state, null, BOTH)).toEqual({ kind: 'wait' });
    },
  );

  it.each(['deploy hold', 'service hold', 'clean hold'])('%s is given up', (state) => {
    expect(step(state, 'cleared', BOTH)).toEqual(order('abort', 'cleared'));
  });

  it('a machine that was cleaned is done when it rests', () => {
    expect(cleaned('available', 'undeploying', 'done')).toEqual({ kind: 'done' });
    expect(cleaned('manageable', 'undeploying', 'nothing_to_do')).toEqual({ kind: 'done' });
    expect(cleaned('available', 'cleaning', 'failed', 'done')).toEqual({ kind: 'done' });
  });

  it('a machine that rests is cleaned again while no cleaning is recorded that ended well', () => {
    const again = order('provide', 'cleaning');
    expect(step('manageable', 'cleaning', BOTH)).toEqual(again);
    expect(cleaned('manageable', 'cleaning', 'failed')).toEqual(again);
    expect(cleaned('manageable', 'cleaning', 'done', 'failed')).toEqual(again);
    expect(cleaned('available', 'undeploying', 'failed')).toEqual(order('manage', 'cleared'));
  });

  it('a machine on which nothing was deployed is cleaned only if that is planned', () => {
    expect(step('available', 'cleared', UNDEPLOY)).toEqual({ kind: 'done' });
    expect(step('available', 'cleared', BOTH)).toEqual(order('manage', 'cleared'));
    expect(step('manageable', 'cleared', BOTH)).toEqual(order('provide', 'cleaning'));
    expect(step('inspect failed', 'cleared', BOTH)).toEqual(order('manage', 'cleared'));
    expect(step('enroll', 'cleared', BOTH)).toEqual({ kind: 'done' });
  });

  it('a failure is reported, and the failed step is repeated once an operator has repaired the machine', () => {
    expect(step('clean failed', 'undeploying', BOTH)).toEqual(NOT_CLEANED);
    expect(step('manageable', 'cleared', BOTH)).toEqual(order('provide', 'cleaning'));
    expect(step('clean failed', 'undeploying', UNDEPLOY)).toEqual({ kind: 'done' });
    expect(step('error', 'undeploying', BOTH)).toEqual({
      kind: 'failed',
      step: 'undeploy',
      reason: 'The node could not be undeployed.',
      phase: 'cleared',
    });
    expect(step('error', 'cleared', BOTH)).toEqual(order('deleted', 'undeploying'));
  });
});
