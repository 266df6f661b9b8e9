import { describe, expect, it } from '@jest/globals';
import { violations } from './checker.js';
import { type Entry, type FinalState } from './history.js';

const END: FinalState = {
  nodes: [],
  allocations: [],
  handovers: [],
  decisionLog: null,
  logged: new Set(['d1']),
  notReady: [],
};

const NODE = {
  uuid: 'n1',
  reservation: null,
  provisionState: 'available',
  targetPowerState: null,
  extra: {},
  allocation: null,
};

const ending = (node: Partial<(typeof END)['nodes'][number]>): FinalState => ({
  ...END,
  nodes: [{ ...NODE, ...node }],
});

const write = (key: string, outcome: 'ok' | 'refused' | 'unknown'): Entry => ({
  kind: 'write',
  atMs: 1000,
  node: 'n1',
  key,
  outcome,
});

const ORDER: Extract<Entry, { kind: 'order' }> = {
  kind: 'order',
  atMs: 2000,
  node: 'n1',
  target: 'power on',
  outcome: 'ok',
  end: { state: 'power on', error: null },
  commands: ['On'],
  isIgnored: false,
};

const lock = (holder: string, fence: number, revision: number): Entry => ({
  kind: 'lock',
  atMs: 3000,
  node: 'n1',
  holder,
  fence,
  revision,
});

const REQUEST: Entry = {
  kind: 'request',
  atMs: 4000,
  client: 'c',
  line: 'GET /v1/nodes',
  status: 200,
  outcome: 'ok',
  tookMs: 20,
  decision: 'd1',
  isExcused: false,
  isClockWrong: false,
};

describe('a history without fault', () => {
  it('has acknowledged writes that are there, and refused ones that are not', () => {
    const entries = [write('a', 'ok'), write('b', 'refused'), write('c', 'unknown')];
    expect(violations(entries, ending({ extra: { a: 1 } }))).toEqual([]);
    expect(violations(entries, ending({ extra: { a: 1, c: 1 } }))).toEqual([]);
  });

  it('has orders that are done, that failed with an error, or that a BMC ignored', () => {
    const failed = { ...ORDER, end: { state: 'power off', error: 'no answer' } };
    const ignored = { ...ORDER, end: { state: 'power off', error: null }, isIgnored: true };
    const open = { ...ORDER, outcome: 'unknown' as const, commands: [], end: failed.end };
    expect(violations([ORDER, failed, ignored, open], END)).toEqual([]);
  });

  it('has locks that pass on with larger fences, whatever order their answers come in', () => {
    const entries = [lock('c1', 1, 1), lock('c2', 2, 4), lock('c1', 1, 3)];
    expect(violations(entries, END)).toEqual([]);
  });
});

describe('a violation is', () => {
  it.each<[string, readonly Entry[], FinalState]>([
    ['an acknowledged write that is lost', [write('a', 'ok')], ending({})],
    ['a refused write that was done', [write('a', 'refused')], ending({ extra: { a: 1 } })],
    ['a command that was sent twice', [{ ...ORDER, commands: ['On', 'On'] }], END],
    ['a refused order that was sent', [{ ...ORDER, outcome: 'refused' }], END],
    ['an order without an end', [{ ...ORDER, end: null }], END],
    [
      'an accepted order that is neither done nor failed',
      [{ ...ORDER, end: { state: 'power off', error: null } }],
      END,
    ],
    ['a write under a lock after a larger one', [lock('c2', 2, 2), lock('c1', 1, 3)], END],
    ['two holders of one lock', [lock('c1', 1, 1), lock('c2', 1, 2)], END],
    [
      'a node that two allocations have',
      [
        { kind: 'allocated', atMs: 1, allocation: 'a1', node: 'n1' },
        { kind: 'allocated', atMs: 2, allocation: 'a2', node: 'n1' },
      ],
      END,
    ],
    [
      'an answer to a former tenant',
      [{ kind: 'former', atMs: 1, node: 'n1', line: 'GET /v1/nodes/n1', status: 200 }],
      END,
    ],
    ['an answer after the deadline', [{ ...REQUEST, tookMs: 14_001 }], END],
    ['a 500', [{ ...REQUEST, status: 500, outcome: 'refused' }], END],
    ['a good token that is refused', [{ ...REQUEST, status: 401, outcome: 'refused' }], END],
    ['an owner who is refused', [{ ...REQUEST, status: 403, outcome: 'refused' }], END],
    ['a node that stays reserved', [], ending({ reservation: 'c1' })],
    ['a node that stays in a transient state', [], ending({ provisionState: 'cleaning' })],
    ['a target that stays', [], ending({ targetPowerState: 'power on' })],
    ['an allocation that takes for ever', [{ kind: 'waiting', atMs: 1, allocation: 'a1' }], END],
    [
      'an allocation that is left without an end',
      [],
      { ...END, allocations: [{ uuid: 'a1', state: 'allocating' }] },
    ],
    ['a handover without an end', [], { ...END, handovers: [{ uuid: 'h1', status: 'open' }] }],
    ['a node of an allocation that does not exist', [], ending({ allocation: 'a1' })],
    ['a decision log that is not whole', [], { ...END, decisionLog: 'a record is missing' }],
    ['an answer whose decision is not in a log', [REQUEST], { ...END, logged: new Set() }],
    ['a part that does not come back', [], { ...END, notReady: ['pdp'] }],
  ])('%s', (_what, entries, end) => {
    expect(violations(entries, end)).toHaveLength(1);
  });

  it('nothing that is excused: a late answer while a gateway was down', () => {
    const late: Entry = { ...REQUEST, tookMs: 16_000, isExcused: true };
    expect(violations([late], END)).toEqual([]);
  });

  it('no refusal of a good token while the clock of a gateway is wrong', () => {
    const refused: Entry = { ...REQUEST, status: 401, outcome: 'refused', isClockWrong: true };
    expect(violations([refused], END)).toEqual([]);
  });
});
