import { describe, expect, it } from '@jest/globals';
import { type ProvisionEvent, transitionOf, verbOf } from './transitions.js';

const STATES = [
  'enroll',
  'verifying',
  'manageable',
  'available',
  'active',
  'deploying',
  'wait call-back',
  'deploy failed',
  'deploy hold',
  'deleting',
  'cleaning',
  'clean wait',
  'clean failed',
  'clean hold',
  'error',
  'inspecting',
  'inspect wait',
  'inspect failed',
  'adopting',
  'adopt failed',
  'rescue',
  'rescuing',
  'rescue wait',
  'rescue failed',
  'unrescuing',
  'unrescue failed',
  'servicing',
  'service wait',
  'service failed',
  'service hold',
];

// Written out by hand: for each event the states that take it, and where each leads. All others refuse it.
const EXPECTED: Readonly<Record<ProvisionEvent, Readonly<Record<string, string>>>> = {
  manage: {
    enroll: 'verifying',
    available: 'manageable',
    'clean failed': 'manageable',
    'inspect failed': 'manageable',
    'adopt failed': 'manageable',
  },
  provide: { manageable: 'cleaning' },
  clean: { manageable: 'cleaning' },
  inspect: { manageable: 'inspecting', 'inspect failed': 'inspecting' },
  adopt: { manageable: 'adopting', 'adopt failed': 'adopting' },
  deploy: { available: 'deploying', 'deploy failed': 'deploying' },
  rebuild: { active: 'deploying', 'deploy failed': 'deploying', error: 'deploying' },
  delete: {
    active: 'deleting',
    'wait call-back': 'deleting',
    'deploy failed': 'deleting',
    error: 'deleting',
    rescue: 'deleting',
    'rescue wait': 'deleting',
    'rescue failed': 'deleting',
    'unrescue failed': 'deleting',
    'service failed': 'deleting',
  },
  rescue: {
    active: 'rescuing',
    rescue: 'rescuing',
    'rescue failed': 'rescuing',
    'unrescue failed': 'rescuing',
    'service failed': 'rescuing',
  },
  unrescue: {
    rescue: 'unrescuing',
    'rescue failed': 'unrescuing',
    'unrescue failed': 'unrescuing',
  },
  service: { active: 'servicing', 'service failed': 'servicing' },
  unhold: { 'clean hold': 'cleaning', 'deploy hold': 'deploying', 'service hold': 'servicing' },
  abort: {
    'clean wait': 'clean failed',
    'clean hold': 'clean failed',
    'deploy hold': 'deploy failed',
    'inspect wait': 'inspect failed',
    'rescue wait': 'rescue failed',
    'service wait': 'service failed',
    'service hold': 'service failed',
    'service failed': 'active',
  },
};

describe('the state machine', () => {
  it.each(Object.entries(EXPECTED))('%s is taken in these states only', (event, expected) => {
    const taken = STATES.flatMap((state) => {
      const transition = transitionOf(event as ProvisionEvent, state); // a key of the table above
      return transition === undefined ? [] : [[state, transition.enters]];
    });
    expect(Object.fromEntries(taken)).toEqual(expected);
  });

  it.each([
    ['manage', 'enroll', 'manageable'],
    ['provide', 'manageable', 'available'],
    ['clean', 'manageable', 'manageable'],
    ['inspect', 'manageable', 'manageable'],
    ['adopt', 'manageable', 'active'],
    ['deploy', 'available', 'active'],
    ['rebuild', 'active', 'active'],
    ['delete', 'active', 'available'],
    ['rescue', 'active', 'rescue'],
    ['unrescue', 'rescue', 'active'],
    ['service', 'active', 'active'],
  ] as const)('%s from %s aims at %s', (event, state, target) => {
    expect(transitionOf(event, state)).toMatchObject({ kind: 'work', target });
  });

  it('aims at nothing when a node only rests elsewhere, and keeps the aim of what was aborted', () => {
    expect(transitionOf('manage', 'available')).toEqual({
      kind: 'rest',
      enters: 'manageable',
      target: null,
    });
    expect(transitionOf('abort', 'inspect wait')).toEqual({
      kind: 'rest',
      enters: 'inspect failed',
      target: 'manageable',
    });
  });
});

describe('verbs', () => {
  it.each([
    ['active', 'deploy', 1],
    ['deleted', 'delete', 1],
    ['rebuild', 'rebuild', 1],
    ['manage', 'manage', 4],
    ['provide', 'provide', 4],
    ['inspect', 'inspect', 6],
    ['abort', 'abort', 13],
    ['clean', 'clean', 15],
    ['adopt', 'adopt', 17],
    ['rescue', 'rescue', 38],
    ['unrescue', 'unrescue', 38],
    ['deploy', 'deploy', 73],
    ['undeploy', 'delete', 73],
    ['unhold', 'unhold', 85],
    ['service', 'service', 87],
  ])('%s means %s, since 1.%i', (target, event, since) => {
    expect(verbOf(target)).toEqual({ event, since });
  });

  it.each(['bogus', 'delete', 'hold', 'constructor', ''])('%j is none', (target) => {
    expect(verbOf(target)).toBeUndefined();
  });
});
