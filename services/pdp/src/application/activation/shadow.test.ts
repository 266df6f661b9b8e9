import { setImmediate as nextTick } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyRefused } from '@tenure/policy';
import { createLogger } from '@tenure/process';
import { type PolicySource } from '../../ports/policy-source.js';
import { verifiedAs } from '../../testing/letter-policies.js';
import { type PolicyLoader } from './loader.js';
import { createPolicyShadow, type PolicyShadow } from './shadow.js';

const decision = (allow: boolean) => ({
  allow,
  visible: true,
  reason: 'granted',
  grants: allow ? ['owner_reader'] : [],
  denied: [],
  filter: { mode: 'none', predicates: [] },
  fields: { masked: [], read_only: [] },
  set: {},
});
const input = { action: 'baremetal:node:get', subject: { user_id: 'u' } };
const observed = {
  entrypoint: 'decision',
  input,
  decisionId: 'd-1',
  answer: decision(true),
} as const;

let answer: () => unknown;
let evaluations: number;
let outcomes: string[];
let refusal: Error | undefined;
let print: string;
beforeEach(() => {
  answer = () => decision(true);
  evaluations = 0;
  outcomes = [];
  refusal = undefined;
  print = 'one';
});

const source: PolicySource = {
  name: 'shadow.tar.gz',
  isRemote: false,
  read: () => Promise.resolve({ bundle: new Map(), overlays: [] }),
  readOverlays: () => Promise.resolve([]),
  fingerprint: () => Promise.resolve(print),
};
const loader: PolicyLoader = {
  verify: (parts) => verifiedAs(`sha256:${print}`, parts),
  prepare: ({ revision }) => {
    if (refusal !== undefined) return Promise.reject(refusal);
    const evaluate = (): unknown => {
      evaluations += 1;
      return answer();
    };
    return Promise.resolve({
      engine: { evaluate, lastCost: () => 0, memoryPages: () => 0 },
      revision,
      actions: {},
      resources: {},
    });
  },
};

async function shadowWith(share = 1, random = () => 0): Promise<PolicyShadow> {
  const shadow = createPolicyShadow({
    source,
    loader,
    share,
    logger: createLogger('test', 'fatal', { write: () => undefined }),
    metrics: { shadowed: (outcome) => outcomes.push(outcome) },
    now: () => new Date('2026-11-21T06:00:00Z'),
    random,
  });
  await shadow.reload();
  return shadow;
}

async function waitTicks(ticks = 10): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await nextTick();
}

describe('a shadow', () => {
  it('is not evaluated in the round of the event loop in which the answer was given', async () => {
    const shadow = await shadowWith();
    shadow.observe(observed);
    expect(evaluations).toBe(0);
    await waitTicks();
    expect([evaluations, outcomes]).toEqual([1, ['same']]);
  });

  it('reports decisions that differ', async () => {
    const shadow = await shadowWith();
    answer = () => decision(false);
    shadow.observe(observed);
    await waitTicks();
    expect(outcomes).toEqual(['newly_denied']);
    expect(shadow.status()).toMatchObject({ evaluated: 1, differences: { newly_denied: 1 } });
    expect(shadow.samples()).toEqual([
      expect.objectContaining({
        at: '2026-11-21T06:00:00.000Z',
        decisionId: 'd-1',
        action: 'baremetal:node:get',
        difference: 'newly_denied',
        shadow: decision(false),
      }),
    ]);
  });

  it('shows no member of a question that is unknown to the contract', async () => {
    const shadow = await shadowWith();
    answer = () => decision(false);
    shadow.observe({ ...observed, input: { ...input, password: 'hunter2' } });
    await waitTicks();
    expect(JSON.stringify(shadow.samples())).not.toContain('hunter2');
  });

  it('keeps the last hundred differences', async () => {
    const shadow = await shadowWith();
    answer = () => decision(false);
    for (let each = 0; each < 120; each += 1)
      shadow.observe({ ...observed, decisionId: `d-${each}` });
    await waitTicks(200);
    expect(shadow.samples()).toHaveLength(100);
    expect(shadow.samples()[0]?.decisionId).toBe('d-119');
    expect(shadow.status().differences).toEqual({ newly_denied: 120 });
  });

  it('drops decisions beyond its queue', async () => {
    const shadow = await shadowWith();
    for (let each = 0; each < 300; each += 1) shadow.observe(observed);
    expect(outcomes).toEqual(Array.from({ length: 44 }, () => 'dropped'));
    await waitTicks(300);
    expect(shadow.status()).toMatchObject({ evaluated: 256, dropped: 44 });
  });

  it('is evaluated for its share of the decisions', async () => {
    const numbers = [0.1, 0.3, 0.24, 0.25];
    const shadow = await shadowWith(0.25, () => numbers.shift() ?? 1);
    for (let each = 0; each < 4; each += 1) shadow.observe(observed);
    await waitTicks();
    expect(evaluations).toBe(2);
  });

  it('stops when it fails three times in a row, until its bundle changes', async () => {
    const shadow = await shadowWith();
    answer = () => {
      throw new Error('out of time');
    };
    for (let each = 0; each < 10; each += 1) shadow.observe(observed);
    await waitTicks(20);
    expect([evaluations, outcomes]).toEqual([3, ['failed', 'failed', 'failed']]);
    expect(shadow.status()).toMatchObject({
      state: 'given up',
      reason: 'it failed 3 times in a row: out of time',
    });
    print = 'two';
    answer = () => decision(true);
    await shadow.reloadIfChanged();
    shadow.observe(observed);
    await waitTicks();
    expect(shadow.status()).toMatchObject({
      state: 'active',
      evaluated: 1,
      revision: 'sha256:two',
    });
  });

  it('fails when its answer is no decision', async () => {
    const shadow = await shadowWith();
    answer = () => true;
    shadow.observe(observed);
    await waitTicks();
    expect(outcomes).toEqual(['failed']);
  });

  it('that is refused is not evaluated, and a later one that is refused leaves the first', async () => {
    refusal = new PolicyRefused('not signed');
    const shadow = await shadowWith();
    shadow.observe(observed);
    await waitTicks();
    expect([evaluations, shadow.status().state, shadow.status().reason]).toEqual([
      0,
      'not loaded',
      'not signed',
    ]);
    refusal = undefined;
    await shadow.reload();
    refusal = new PolicyRefused('not signed');
    print = 'two';
    await shadow.reloadIfChanged();
    expect(shadow.status()).toMatchObject({ state: 'active', revision: 'sha256:one' });
  });
});
