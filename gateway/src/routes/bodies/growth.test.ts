import { describe, expect, it } from '@jest/globals';
import { growthOfReads, listOf, membersNamed, N_LOG_N } from '@tenure/contracts/testing';
import { BODY } from '../body-kinds.js';

const name = (at: number): string => `m${String(at)}`;
const step = (at: number) => ({ interface: 'deploy', step: name(at), args: {}, priority: 1 });

describe('the steps of deriving the policy question from a body grow no faster than n log n', () => {
  it.each([
    {
      what: 'operations of a patch, each of a member of its own',
      kind: BODY.allocationPatch,
      json: (size: number) => listOf(size, (at) => ({ op: 'add', path: `/${name(at)}`, value: 1 })),
    },
    {
      what: 'operations of a patch below one member',
      kind: BODY.allocationPatch,
      json: (size: number) =>
        listOf(size, (at) => ({ op: 'add', path: `/extra/${name(at)}`, value: 1 })),
    },
    {
      what: 'members of a record',
      kind: BODY.allocation,
      json: (size: number) => membersNamed(size, name),
    },
    {
      what: 'steps of a deployment',
      kind: BODY.provision,
      json: (size: number) => ({ target: 'active', deploy_steps: listOf(size, step) }),
      // 255 are the most that an order has.
      doublings: 2,
    },
    {
      what: 'traits',
      kind: BODY.traits,
      json: (size: number) => ({ traits: listOf(size, (at) => `CUSTOM_${String(at)}`) }),
    },
    {
      what: 'members of findings',
      kind: BODY.inspectionData,
      json: (size: number) => membersNamed(size, name),
    },
  ])('$what', ({ kind, json, doublings = 4 }) => {
    const growth = growthOfReads((counted, size) => kind.meaning(counted(json(size))), {
      from: 60,
      doublings,
    });
    expect(growth).toBeLessThanOrEqual(N_LOG_N);
  });
});
